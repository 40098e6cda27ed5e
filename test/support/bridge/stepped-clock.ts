// Loaded before a bridge: each SIGUSR2 advances its clock by `?step=` ms, each SIGWINCH by `?leap=` ms. `?from=` sets the initial time of
// day (ms, UTC). With `?waits`, timers of a minute or longer follow that clock; shorter ones wait for the machine and use real time. The
// library keeps the real clock because its pings compare times.
const LONG_MS = 60_000;
const DAY_MS = 86_400_000;
const LIBRARY = /node_modules.baileys/;
const { searchParams } = new URL(import.meta.url);

const now = Date.now.bind(Date);
let ahead = searchParams.has("from") ? DAY_MS - ((now() - Number(searchParams.get("from"))) % DAY_MS) : 0;
Date.now = () => now() + (LIBRARY.test(new Error("clock").stack?.split("\n")[2] ?? "") ? 0 : ahead);

const waiting = new Map<unknown, { dueAt: number; end: () => void }>();
if (searchParams.has("waits")) {
  const { setTimeout: start, clearTimeout: clear } = globalThis;
  globalThis.setTimeout = Object.assign((work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    if (ms < LONG_MS) return start(work, ms, ...args);
    const end = (): void => {
      waiting.delete(timer);
      clear(timer);
      work(...args);
    };
    const timer = start(end, ms);
    waiting.set(timer, { dueAt: now() + ahead + ms, end });
    return timer;
  }, start) as typeof start;
  globalThis.clearTimeout = (timer) => {
    waiting.delete(timer);
    clear(timer);
  };
}

function move(ms: number): void {
  ahead += ms;
  for (const { dueAt, end } of waiting.values()) if (dueAt <= now() + ahead) end();
  process.stderr.write("clock stepped\n");
}

process.on("SIGUSR2", () => move(Number(searchParams.get("step"))));
process.on("SIGWINCH", () => move(Number(searchParams.get("leap"))));
