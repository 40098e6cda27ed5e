// Setup for every suite. By default `vi.waitFor` gives up after a second, too early on a slow machine, and advances a fake clock on each
// poll, so that the total advance depends on the machine's speed.
import { vi } from "vitest";

const WAIT_MS = 60_000;
const INTERVAL_MS = 50;
/** A longer poll counts as this long, as in eventually.ts. */
const LONGEST_POLL_MS = 150;

const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

vi.waitFor = async (callback, options = {}) => {
  const { timeout = WAIT_MS, interval = INTERVAL_MS } = typeof options === "number" ? { timeout: options } : options;
  let waited = 0;
  for (let from = now(); ;) {
    try {
      return await callback();
    } catch (error) {
      if (waited >= timeout) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, interval));
    const at = now();
    waited += Math.min(at - from, Math.max(LONGEST_POLL_MS, interval));
    from = at;
  }
};
