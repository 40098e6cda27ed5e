// Preloaded into `wrangler check startup` to extend its limit of ten seconds of wall time for starting the local runtime and loading the
// worker. A busy machine needs longer, regardless of the worker; the platform itself limits processor time.
import timers from "node:timers";

const WRANGLER_LIMIT_MS = 10_000;
const LIMIT_MS = 600_000;

const { setTimeout } = timers;
const patient: typeof setTimeout = Object.assign(
  (act: () => void, ms?: number) => setTimeout(act, ms === WRANGLER_LIMIT_MS ? LIMIT_MS : ms),
  setTimeout,
);
timers.setTimeout = patient;
