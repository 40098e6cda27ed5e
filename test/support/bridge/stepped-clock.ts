// Loaded before a bridge: its clock goes on by `?step=` ms at each SIGUSR2, and what waits for a minute or longer ends when its time has
// come on that clock. Shorter waits are about what the machine does, and the library keeps the real clock: its pings compare times.
const LONG_MS = 60_000;
const LIBRARY = /node_modules.baileys/;
const stepMs = Number(new URL(import.meta.url).searchParams.get("step"));

let ahead = 0;
const now = Date.now.bind(Date);
Date.now = () => now() + (LIBRARY.test(new Error("clock").stack?.split("\n")[2] ?? "") ? 0 : ahead);

const { setTimeout: start, clearTimeout: clear } = globalThis;
const waiting = new Map<unknown, { dueAt: number; end: () => void }>();
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

process.on("SIGUSR2", () => {
  ahead += stepMs;
  for (const { dueAt, end } of waiting.values()) if (dueAt <= now() + ahead) end();
  process.stderr.write("clock stepped\n");
});
