// What failures say, in both languages.
import { expect, it } from "vitest";
import { ENGLISH } from "@gateway/domain/failures/english.ts";
import { PORTUGUESE } from "@gateway/domain/failures/portuguese.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";

const CODES = Object.keys(ENGLISH) as FailureCode[];
const numbersIn = (text: string) => text.match(/\d+/g) ?? [];

it.each(CODES)("%s names the same numbers in both languages", (code) => {
  expect(numbersIn(PORTUGUESE[code])).toEqual(numbersIn(ENGLISH[code]));
});

it("a body that is too large is told no number: it depends on the route, and is in the details", () => {
  expect([...numbersIn(ENGLISH.body_too_large), ...numbersIn(PORTUGUESE.body_too_large)]).toEqual([]);
});
