// Starts the bridge, in the order that safety needs: quiet console, strict signatures, trust, self-check, and only then sockets.
import { randomUUID } from "node:crypto";
import { keysAsObjects } from "./keys-as-objects.ts";
import { quietConsole } from "./quiet-console.ts";
import { readSettings } from "./settings.ts";

quietConsole();
keysAsObjects();

const read = readSettings(process.env, randomUUID);
if (!read.ok) {
  console.error(`session bridge: bad settings: ${read.problems.join("; ")}`);
  process.exit(2);
}

// Loaded only now: what these import may speak, and must find the console quiet.
const { runBridge } = await import("./run.ts");
await runBridge(read.settings);
