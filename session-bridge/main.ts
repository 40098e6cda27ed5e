// Starts the bridge in the order that safety needs: console filter, strict signatures, trust, self-check, and only then sockets.
import { keysAsObjects } from "./keys-as-objects.ts";
import { quietConsole } from "./quiet-console.ts";
import { readSettings } from "./settings.ts";

quietConsole();
keysAsObjects();
// Whoever keeps a small buffer, in the libraries too, keeps a whole piece of the pool: 8 KB, and not this Node's 64.
Buffer.poolSize = 8_192;

const read = readSettings(process.env);
// Programs that the bridge starts, such as a converter, inherit its environment.
for (const secret of ["BRIDGE_CREDENTIAL", "OTEL_EXPORTER_OTLP_HEADERS"]) delete process.env[secret];
if (!read.ok) {
  console.error(`session bridge: bad settings: ${read.problems.join("; ")}`);
  process.exit(2);
}

// Imported only now: these modules may print on import, and the console must be filtered by then.
const { runBridge } = await import("./run.ts");
await runBridge(read.settings);
