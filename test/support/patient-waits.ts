// Setup of every suite: `vi.waitFor` gives up after a second otherwise, which a slow machine needs for the thing itself, and it moves a fake
// clock on at each look, so that how far that goes is up to the machine.
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
