import { expect, it } from "vitest";
import { eventTimeMs } from "@gateway/domain/gateway-event.ts";

const SECOND = 1_900_000_000;

it("an event's time is within the second that the network reports", () => {
  for (const receivedAt of [0, SECOND * 1_000 - 1, SECOND * 1_000, SECOND * 1_000 + 500, SECOND * 1_000 + 1_000, Number.MAX_SAFE_INTEGER])
    expect(Math.floor(eventTimeMs(SECOND, receivedAt) / 1_000)).toBe(SECOND);
});

it("an event's time is the time of receipt if that is in the same second", () => {
  expect(eventTimeMs(SECOND, SECOND * 1_000 + 123)).toBe(SECOND * 1_000 + 123);
});

it("a later event never has an earlier time than one that happened and was received before it", () => {
  const seconds = [SECOND, SECOND + 1, SECOND + 2];
  const times = Array.from({ length: 40 }, (_, step) => SECOND * 1_000 - 500 + step * 100);
  for (const earlier of seconds)
    for (const later of seconds.filter((each) => each >= earlier))
      for (const first of times)
        for (const second of times.filter((each) => each >= first))
          expect(eventTimeMs(later, second)).toBeGreaterThanOrEqual(eventTimeMs(earlier, first));
});
