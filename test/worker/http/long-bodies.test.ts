// What long bodies take together: room for a few in memory, and a part of the time.
import { describe, expect, it } from "vitest";
import { type Clock, Pace } from "../../../src/http/body/pace.ts";
import { Place, Room } from "../../../src/http/body/room.ts";

/** Time that passes when everybody waits, as far as who waits the shortest. */
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

  /** The time that `work` took. */
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

const BOUNDS = { bytes: 100, waitMs: 30_000, idleMs: 10_000 };

describe("the room for long bodies", () => {
  it("holds as many bytes as said, and what has left is free again", async () => {
    const clock = new TestClock();
    const room = new Room({ ...BOUNDS, waitMs: 50 }, clock);
    const { result: places } = await clock.run(Promise.all([room.take(60), room.take(40), room.take(1)]));
    expect(places).toEqual([expect.any(Place), expect.any(Place), null]);
    places[0]?.leave();
    expect((await clock.run(room.take(60))).ms).toBe(0);
  });

  it("has a place for the largest body when it is alone", async () => {
    const clock = new TestClock();
    expect((await clock.run(new Room(BOUNDS, clock).take(1_000))).result).toBeInstanceOf(Place);
  });

  it("is given first to who waits the longest", async () => {
    const clock = new TestClock();
    const room = new Room(BOUNDS, clock);
    const first = (await clock.run(room.take(100))).result;
    const order: string[] = [];
    const all = ["large", "small"].map((name) => room.take(name === "large" ? 95 : 5).then(() => order.push(name)));
    await clock.run(clock.wait(1_000));
    first?.leave();
    await clock.run(Promise.all(all));
    expect(order).toEqual(["large", "small"]);
  });

  it("is not kept by a body of which nothing is seen any more", async () => {
    const clock = new TestClock();
    const room = new Room(BOUNDS, clock);
    const [, kept] = (await clock.run(Promise.all([room.take(50), room.take(50)]))).result;
    await clock.run(clock.wait(9_000));
    kept?.keep(10_000);
    expect((await clock.run(room.take(50))).ms).toBeLessThan(1_100);
    expect((await clock.run(room.take(50))).ms).toBeGreaterThan(7_500);
  });

  it("is given up after a while, and not kept from others by who has gone while waiting", async () => {
    const clock = new TestClock();
    const gone = new TestClock();
    const room = new Room(BOUNDS, clock);
    const place = (await clock.run(room.take(100))).result;
    expect(await clock.run(room.take(100).then((taken) => taken?.bytes ?? null))).toEqual({ result: 100, ms: 10_000 });
    place?.leave();
    const full = new Room({ ...BOUNDS, idleMs: 60_000 }, clock);
    const first = (await clock.run(full.take(100))).result;
    expect(await clock.run(full.take(100))).toEqual({ result: null, ms: 30_000 });
    // Its timer never rings: so it is with a request whose client has gone.
    const wait = clock.wait.bind(clock);
    clock.wait = () => gone.wait(1);
    void full.take(100);
    clock.wait = wait;
    first?.leave();
    const taken = await clock.run(full.take(100));
    expect([taken.result, taken.ms]).toEqual([expect.any(Place), 100]);
  });
});

describe("the pace of long bodies", () => {
  it("is the same however many there are, each in its turn", async () => {
    const clock = new TestClock();
    const pace = new Pace(100, clock);
    const order: number[] = [];
    const bodies = Array.from({ length: 4 }, async (_, body) => {
      for (let piece = 0; piece < 5; piece += 1) {
        await pace.keep(1_000);
        order.push(body);
      }
    });
    // The first goes on at once, so the last waits for all others.
    expect((await clock.run(Promise.all(bodies))).ms).toBe(190);
    expect(order.slice(0, 8)).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
  });

  it("does not hold up what is slower", async () => {
    const clock = new TestClock();
    const pace = new Pace(100, clock);
    for (let piece = 0; piece < 5; piece += 1) {
      expect((await clock.run(pace.keep(1_000))).ms).toBe(0);
      await clock.run(clock.wait(11));
    }
  });
});
