import { expect, it } from "vitest";
import { firstCharacters, isAtMost } from "../../../src/domain/messages/characters.ts";

it("counts characters as people see code points", () => {
  expect([
    isAtMost("abc", 3),
    isAtMost("abcd", 3),
    isAtMost("😀😀😀", 3),
    isAtMost("😀😀😀😀", 3),
    isAtMost("😀aa", 3),
    isAtMost("", 0),
  ]).toEqual([true, false, true, false, true, true]);
});

it("never cuts a character in two", () => {
  expect([firstCharacters("😀😀😀", 2), firstCharacters("ab", 5), firstCharacters("abc", 0)]).toEqual(["😀😀", "ab", ""]);
});
