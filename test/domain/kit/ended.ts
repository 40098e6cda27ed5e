import { vi } from "vitest";

/** Advances the fake clock until the promise settles. Waits start after real work (reading a body), so a single jump may miss one. */
export async function ended<T>(promise: Promise<T>): Promise<T> {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  promise.then(settle, settle);
  while (!state.settled) {
    await vi.advanceTimersByTimeAsync(1000);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return promise;
}
