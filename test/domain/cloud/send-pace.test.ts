// How many messages are in flight to Graph at once, measured in virtual time.
import { describe, expect, it } from "vitest";
import { SendPace } from "@gateway/domain/cloud/limits.ts";

const START_MS = Date.UTC(2026, 10, 24);

/**
 * A number with a constant backlog, and a Graph that answers each message after `answerMs`, or never. Returns the number of answered
 * messages.
 */
function busyNumber(pace: SendPace) {
  const underway: number[] = [];
  let now = START_MS;
  return (seconds: number, answerMs: number | null): number => {
    let answered = 0;
    for (const until = now + seconds * 1_000; now < until; now += 10) {
      for (let [begunAt] = underway; begunAt !== undefined; [begunAt] = underway) {
        const isAnswered = answerMs !== null && begunAt + answerMs <= now;
        if (!isAnswered && begunAt + 3_000 > now) break;
        underway.shift();
        if (isAnswered) pace.answered(begunAt, true, now);
        else pace.overdue(begunAt, now);
        answered += isAnswered ? 1 : 0;
        pace.free();
      }
      while (pace.canStart(now)) {
        pace.begin();
        underway.push(now);
      }
    }
    return answered;
  };
}

describe("the pace of a number", () => {
  it("grows until it sends over 60 messages a second to a Graph that takes half a second for each", () => {
    const pace = new SendPace();
    expect(pace.limit).toBe(10);
    const send = busyNumber(pace);
    send(3, 500);
    expect(send(1, 500)).toBeGreaterThan(60);
  });

  it("does not grow unless sends wait for it", () => {
    const pace = new SendPace();
    for (let at = 0; at < 100; at += 1) {
      pace.begin();
      pace.answered(START_MS + at * 500, false, START_MS + at * 500 + 400);
      pace.free();
    }
    expect(pace.limit).toBe(10);
  });

  it("is unchanged by a few requests without a response, and shrinks when nothing is answered at all", () => {
    const pace = new SendPace();
    for (let dead = 0; dead < 4; dead += 1) pace.begin();
    const send = busyNumber(pace);
    send(4, 100);
    const before = pace.limit;
    for (let dead = 0; dead < 4; dead += 1) {
      pace.overdue(START_MS, START_MS + 3_000);
      pace.free();
    }
    expect(pace.limit).toBe(before);
    send(60, null);
    expect(pace.limit).toBe(2);
  });

  it("pauses a second when Graph refuses more, doubling each time, up to a minute", () => {
    const pace = new SendPace();
    const pauses: number[] = [];
    for (let now = START_MS; pauses.length < 8; now += 1_000) {
      if (!pace.canStart(now)) continue;
      pace.throttled(now, now);
      // Further refusals in the same burst have no effect.
      pace.throttled(now - 1, now);
      pauses.push(pace.pausedMs(now) / 1_000);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(pace.limit).toBe(2);
  });

  it("forgets a pause with the first message accepted after it", () => {
    const pace = new SendPace();
    pace.throttled(START_MS, START_MS);
    expect(pace.limit).toBe(5);
    // This request had started earlier.
    pace.answered(START_MS - 100, false, START_MS + 100);
    expect(pace.pausedMs(START_MS + 100)).toBe(900);
    pace.answered(START_MS + 1_000, false, START_MS + 1_100);
    pace.throttled(START_MS + 1_200, START_MS + 1_300);
    expect(pace.pausedMs(START_MS + 1_300)).toBe(1_000);
  });

  it("is not blocked by a clock that is set back", () => {
    const pace = new SendPace();
    pace.throttled(START_MS, START_MS);
    const back = START_MS - 600_000;
    expect([pace.pausedMs(back), pace.canStart(back)]).toEqual([0, true]);
    pace.throttled(back + 100, back + 200);
    expect(pace.pausedMs(back + 200)).toBe(2_000);
    expect(pace.pausedMs(back + 2_200)).toBe(0);
  });

  it("starts no request that Graph would answer too late, judging by its last response times", () => {
    const pace = new SendPace();
    expect(pace.canAnswerBy(START_MS + 800, START_MS)).toBe(true);
    pace.answered(START_MS - 2_000, false, START_MS);
    expect(pace.canAnswerBy(START_MS + 2_900, START_MS)).toBe(false);
    expect(pace.canAnswerBy(START_MS + 3_000, START_MS)).toBe(true);
    pace.throttled(START_MS, START_MS);
    expect(pace.canAnswerBy(START_MS + 3_900, START_MS)).toBe(false);
    // Regardless of earlier delays, a message may start while half of its time is left.
    pace.answered(START_MS - 60_000, false, START_MS);
    expect(pace.canAnswerBy(START_MS + 6_000, START_MS)).toBe(true);
  });
});
