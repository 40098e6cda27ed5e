// Runs the local test network as a process, with `node test-network/main.ts [flags]`.
import { renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { quietConsole } from "../session-bridge/process/quiet-console.ts";

quietConsole();
const { startTestNetworkWithPhones } = await import("./start-with-phones.ts");

const { values: flags } = parseArgs({
  options: {
    "socket-port": { type: "string" },
    "media-port": { type: "string" },
    "control-port": { type: "string" },
    "graph-port": { type: "string" },
    state: { type: "string" },
    "ready-file": { type: "string" },
    "lenient-network": { type: "boolean", default: false },
  },
});

const running = await startTestNetworkWithPhones({
  ...port("socketPort", flags["socket-port"]),
  ...port("mediaPort", flags["media-port"]),
  ...port("controlPort", flags["control-port"]),
  ...port("graphPort", flags["graph-port"]),
  ...(flags.state !== undefined && { stateDir: flags.state }),
  strict: !flags["lenient-network"],
});

const ready = JSON.stringify({
  ws_url: running.wsUrl,
  media_host: running.mediaHost,
  control_url: running.controlUrl,
  graph_url: running.graphUrl,
  root_public_key: running.rootPublicKey,
  ca_pem: running.caPem,
  pid: process.pid,
});
if (flags["ready-file"] !== undefined) {
  const unfinished = `${flags["ready-file"]}.${process.pid}`;
  writeFileSync(unfinished, `${ready}\n`);
  renameSync(unfinished, flags["ready-file"]);
}
process.stdout.write(`${ready}\n`);

let stopping = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    void running.close().finally(() => process.exit(0));
  });
}

function port<K extends string>(name: K, text: string | undefined): { [P in K]?: number } {
  if (text === undefined) return {};
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) {
    process.stderr.write(`${name}: ${text} is not a port\n`);
    process.exit(2);
  }
  return { [name]: number } as { [P in K]?: number };
}
