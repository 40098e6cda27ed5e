// Setup for worker test files. An object that logs right before it aborts never sees the runner's acknowledgement, and vitest would wait
// for it forever after the file's last test. Therefore log messages are sent without one.
type Rpc = { onUserConsoleLog: { asEvent(log: unknown): void } };

const worker = (globalThis as unknown as { __vitest_worker__: { rpc: Rpc } }).__vitest_worker__;
const { rpc } = worker;
worker.rpc = new Proxy(rpc, {
  get: (target, name) =>
    name === "onUserConsoleLog" ? (log: unknown) => target.onUserConsoleLog.asEvent(log) : (Reflect.get(target, name) as unknown),
});
