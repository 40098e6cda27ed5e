// Collects an idle bridge's garbage; leaves a busy bridge to V8.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collectWhenIdle, thisProcess } from "#root/session-bridge/process/idle-collection.ts";

const MB = 1_048_576;
const PAUSE_MS = 200;

/** A process using 100 MB. */
function watched() {
  const state = { heap: 100 * MB, live: 100 * MB, busy: 0, collections: 0 };
  const stop = collectWhenIdle({
    heap: () => state.heap,
    busy: () => state.busy,
    collect() {
      state.collections += 1;
      state.heap = state.live;
      return PAUSE_MS;
    },
  });
  return { state, stop };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a bridge", () => {
  it("collects much garbage once after it has become idle", () => {
    const { state, stop } = watched();
    state.heap = 180 * MB;
    state.busy = 0.6;
    vi.advanceTimersByTime(60_000);
    expect(state.collections).toBe(0);
    state.busy = 0.02;
    vi.advanceTimersByTime(2_000);
    expect(state.collections).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(state.collections).toBe(1);
    stop();
  });

  it("is never paused for a collection while it is busy every other second", () => {
    const { state, stop } = watched();
    state.heap = 500 * MB;
    for (let second = 0; second < 60; second += 1) {
      state.busy = second % 2;
      vi.advanceTimersByTime(1_000);
    }
    expect(state.collections).toBe(0);
    stop();
  });

  it("collects nothing while its heap has hardly grown since V8 gave memory back", () => {
    const { state, stop } = watched();
    state.heap = 60 * MB;
    vi.advanceTimersByTime(5_000);
    state.heap = 83 * MB;
    vi.advanceTimersByTime(60_000);
    expect(state.collections).toBe(0);
    state.heap = 85 * MB;
    state.live = 85 * MB;
    vi.advanceTimersByTime(60_000);
    // Memory that is still in use does not trigger further collections.
    expect(state.collections).toBe(1);
    stop();
  });

  it("is paused for at most a thousandth of the time under light traffic", () => {
    const { state, stop } = watched();
    state.busy = 0.15;
    const seconds = 1_000;
    for (let second = 0; second < seconds; second += 1) {
      state.heap += 10 * MB;
      vi.advanceTimersByTime(1_000);
    }
    expect(state.collections).toBe((seconds * 1_000 * 0.001) / PAUSE_MS);
    stop();
  });

  it("frees memory by a collection", () => {
    vi.useRealTimers();
    const own = thisProcess();
    let garbage: number[][] | null = Array.from({ length: 50 }, () => Array.from({ length: 131_072 }, (_, n) => n + 0.5));
    const before = own.heap();
    expect(garbage).toHaveLength(50);
    garbage = null;
    own.collect();
    expect(own.heap()).toBeLessThan(before - 25 * MB);
    expect(own.busy()).toBeGreaterThanOrEqual(0);
  });
});
