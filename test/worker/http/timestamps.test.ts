// Times in queries and bodies (docs/use/apis.md, "Ids, phones and times").
import { expect, it } from "vitest";
import { readTimestamp } from "#root/src/http/fields.ts";

it.each([
  ["0", 0],
  ["1893456000", 1_893_456_000],
  ["2030-01-01", 1_893_456_000],
  ["2030-01-01T00:00Z", 1_893_456_000],
  ["2030-01-01t00:00:00.123z", 1_893_456_000],
  ["2029-12-31 21:00:00-03:00", 1_893_456_000],
  ["2029-12-31T21:00:00-0300", 1_893_456_000],
])("the time %s is read", (text, seconds) => expect(readTimestamp(text)).toBe(seconds));

it.each(["", "foo 12", "-1", "01/02/2030 10:00Z", "2030-02-30T09:00:00Z", "2030-13-01", "2030-01-01T25:00Z", "2030-01-01T10:00 at noon"])(
  "the time %j is refused, because no calendar has it or its order is unclear",
  (text) => expect(readTimestamp(text)).toBeNull(),
);
