// Helpers of the contract used by every part.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { parseJson, readJson } from "@gateway/protocol/json.ts";
import { earliest } from "@gateway/protocol/units.ts";

describe("reading JSON", () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ["null", null],
    ["", undefined],
    ["{", undefined],
    [null, undefined],
    [undefined, undefined],
  ])("%s is read as %j", (text, value) => expect(parseJson(text)).toEqual(value));

  it("returns null where the value does not fit the schema", () => {
    const schema = z.object({ a: z.number() });
    expect(["{}", "{", null].map((text) => readJson(schema, text))).toEqual([null, null, null]);
    expect(readJson(schema, '{"a":1}')).toEqual({ a: 1 });
  });
});

it.each([
  [[], null],
  [[null], null],
  [[3, null, 1, 2], 1],
  [[0, 5], 0],
])("the earliest of %j is %j", (times, first) => expect(earliest(times)).toBe(first));
