// Setup for every suite. By default `vi.waitFor` gives up after a second, too early on a slow machine, and advances a fake clock on each
// poll, so that the total advance depends on the machine's speed.
import { vi } from "vitest";

const WAIT_MS = 60_000;
const INTERVAL_MS = 50;

const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

vi.waitFor = async (callback, options = {}) => {
  const { timeout = WAIT_MS, interval = INTERVAL_MS } = typeof options === "number" ? { timeout: options } : options;
  const givenUpAt = now() + timeout;
  for (;;) {
    try {
      return await callback();
    } catch (error) {
      if (now() >= givenUpAt) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
};
