// Shared limits on long bodies: memory for a few, and a share of the processing time.
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Clock, Pace, REAL_CLOCK } from "#root/src/http/body/pace.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { BodyCapacity } from "#root/src/http/body/body-capacity.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Advances to the earliest alarm whenever all work is waiting. */
class TestClock implements Clock {
  #now = 0;
  readonly #alarms: { at: number; ring: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  async wait(ms: number): Promise<void> {
    const at = this.#now + ms;
    await new Promise<void>((ring) => this.#alarms.push({ at, ring }));
  }

  /** Simulated duration of `work`. */
  async run<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
    const startedAt = this.#now;
    let outcome: { result: T } | null = null;
    void work.then((result) => (outcome = { result }));
    for (;;) {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      if (outcome !== null) return { ...(outcome as { result: T }), ms: this.#now - startedAt };
      const [next] = this.#alarms.toSorted((a, b) => a.at - b.at);
      if (next === undefined) throw new Error("nobody waits");
      this.#alarms.splice(this.#alarms.indexOf(next), 1);
      this.#now = next.at;
      next.ring();
    }
  }
}

const BOUNDS = { bytes: 100, waitMs: 30_000, untouchedMs: 20_000 };

/** A capacity with one open body, the oldest, which has its own allowance and has received no bytes. */
function world(bounds: Partial<typeof BOUNDS> = {}) {
  const clock = new TestClock();
  const room = new BodyCapacity({ ...BOUNDS, ...bounds }, clock);
  return { clock, room, oldest: room.enter() };
}

describe("the shared memory for long bodies", () => {
  it("makes a body wait that needs more than is free, until another body leaves", async () => {
    const { clock, room } = world();
    const [one, other] = [room.enter(), room.enter()];
    expect(await clock.run(Promise.all([one.grow(60), other.grow(40)]))).toEqual({ result: [true, true], ms: 0 });
    const growing = other.grow(30);
    await clock.run(clock.wait(1_000));
    one.leave();
    expect(await clock.run(growing)).toEqual({ result: true, ms: 0 });
    expect(other.bytes).toBe(70);
  });

  it("is refused to a body after it has waited for 30 seconds", async () => {
    const { clock, room } = world({ untouchedMs: 60_000 });
    const one = room.enter();
    expect(await clock.run(one.grow(101))).toEqual({ result: false, ms: 30_000 });
    expect(one.bytes).toBe(0);
  });

  it("is never refused to the oldest body, so bodies cannot block each other forever", async () => {
    const { clock, room, oldest } = world();
    const [one, other] = [room.enter(), room.enter()];
    await clock.run(Promise.all([one.grow(50), other.grow(50)]));
    expect(await clock.run(oldest.grow(1_000))).toEqual({ result: true, ms: 0 });
    const [first, second] = [one.grow(1_000), other.grow(40)];
    await clock.run(clock.wait(1_000));
    oldest.leave();
    // This body is now the oldest, so its bytes are excluded from the shared limit.
    expect(await clock.run(Promise.all([first, second]))).toEqual({ result: [true, true], ms: 0 });
  });

  it("is released by a body that has stalled for long, and counts again when it continues", async () => {
    const { clock, room, oldest } = world();
    const [silent, waiting] = [room.enter(), room.enter()];
    await clock.run(silent.grow(100));
    await clock.run(clock.wait(1_000));
    oldest.touch();
    const { result, ms } = await clock.run(waiting.grow(50));
    expect([result, ms >= 18_500, ms <= 20_500]).toEqual([true, true, true]);
    // This body's bytes count again, so it waits until it is the oldest.
    expect((await clock.run(silent.grow(1))).ms).toBeGreaterThan(15_000);
  });
});

describe("the pace of long bodies", () => {
  it("is the same for any number of bodies, which take turns", async () => {
    const clock = new TestClock();
    const pace = new Pace(100, clock);
    const order: number[] = [];
    const bodies = Array.from({ length: 4 }, async (_, body) => {
      for (let piece = 0; piece < 5; piece += 1) {
        await pace.keep(1_000);
        order.push(body);
      }
    });
    // The first piece starts at once, so the last waits for all others.
    expect((await clock.run(Promise.all(bodies))).ms).toBe(190);
    expect(order.slice(0, 8)).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
  });

  it("does not delay a body that is slower", async () => {
    const clock = new TestClock();
    const pace = new Pace(100, clock);
    for (let piece = 0; piece < 5; piece += 1) {
      expect((await clock.run(pace.keep(1_000))).ms).toBe(0);
      await clock.run(clock.wait(11));
    }
  });

  it("delays nobody longer after the clock was set back", async () => {
    const waits: number[] = [];
    const pace = new Pace(100, { now: REAL_CLOCK.now, wait: async (ms) => void waits.push(ms) });
    vi.useFakeTimers({ now: Date.now() + DAY_MS, toFake: ["Date"] });
    await pace.keep(1_000);
    vi.setSystemTime(Date.now() - DAY_MS);
    await pace.keep(1_000);
    expect(waits).toEqual([10]);
  });
});
