// Entry of the worker's process; what it does is in worker-host.ts.
import { host, type WorkerHostSettings } from "./worker-host.ts";

await host(JSON.parse(process.env["SANDBOX_WORKER"] ?? "{}") as WorkerHostSettings).catch((error: unknown) => {
  process.stderr.write(`worker: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
