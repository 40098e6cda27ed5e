import { keysAsObjects } from "./process/keys-as-objects.ts";
import { quietConsole } from "./process/quiet-console.ts";
import { readSettings } from "./settings.ts";

quietConsole();
keysAsObjects();
// Even a small buffer keeps its whole pool slab in memory, so this reduces slabs from Node's 64 KB to 8 KB.
Buffer.poolSize = 8_192;

const read = readSettings(process.env);
// Removes secrets from the environment, because child processes such as a converter inherit it.
for (const secret of ["BRIDGE_CREDENTIAL", "OTEL_EXPORTER_OTLP_HEADERS"]) delete process.env[secret];
if (!read.ok) {
  console.error(`session bridge: bad settings: ${read.problems.join("; ")}`);
  process.exit(2);
}

// Imported last, because these modules may print on import and the console filter must be installed first.
const { runBridge } = await import("./run.ts");
await runBridge(read.settings);
