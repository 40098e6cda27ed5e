// Supervised processes while the machine has no file descriptor left for the helper that ends orphans.
import processes from "node:child_process";
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, it, vi } from "vitest";

const { spawn } = processes;

afterEach(() => {
  processes.spawn = spawn;
  syncBuiltinESMExports();
});

/** As Node does it: the helper has no streams, and its error follows. Returns how often it was started. */
function withoutHelper(): () => number {
  let starts = 0;
  const instead = (file: string, args: readonly string[], options: object) => {
    if (!args.some((arg) => arg.endsWith("end-orphans.ts"))) return spawn(file, args, options);
    starts += 1;
    const child = Object.assign(new EventEmitter(), { unref: () => undefined });
    process.nextTick(() => child.emit("error", new Error("spawn EMFILE")));
    return child;
  };
  processes.spawn = instead as typeof spawn;
  syncBuiltinESMExports();
  return () => starts;
}

it("a process runs and stops although the helper that ends orphans cannot start", async () => {
  const starts = withoutHelper();
  // Another test of this process may have started the helper.
  vi.resetModules();
  const { SupervisedProcess } = await import("#root/server/processes/supervised-process.ts");
  const started = Promise.withResolvers<number>();
  const supervised = new SupervisedProcess({
    name: "idle",
    args: ["-e", "setInterval(() => undefined, 1000)"],
    stopTimeoutMs: 10_000,
    env: () => ({}),
    onLine: () => undefined,
    onStart: started.resolve,
    onUnexpectedExit: (_pid, how) => started.reject(new Error(how)),
    onFailedStart: (problem) => started.reject(new Error(problem)),
  });
  expect(await started.promise).toBe(supervised.pid);
  await supervised.stop();
  expect(starts()).toBe(2);
});
