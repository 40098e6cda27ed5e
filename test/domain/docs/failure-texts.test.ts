// Failure texts in both languages.
import { expect, it } from "vitest";
import { FAILURE_TEXTS } from "@gateway/domain/failures/texts.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";

const CODES = Object.keys(FAILURE_TEXTS) as FailureCode[];
const numbersIn = (text: string) => text.match(/\d+/g) ?? [];

it.each(CODES)("%s names the same numbers in both languages", (code) => {
  expect(numbersIn(FAILURE_TEXTS[code].pt)).toEqual(numbersIn(FAILURE_TEXTS[code].en));
});

it("the text for a too large body names no limit, which depends on the route and is in the details", () => {
  expect([...numbersIn(FAILURE_TEXTS.body_too_large.en), ...numbersIn(FAILURE_TEXTS.body_too_large.pt)]).toEqual([]);
});
