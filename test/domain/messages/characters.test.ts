import { expect, it } from "vitest";
import { firstCharacters, hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";

it("the length of a text is counted in code points", () => {
  expect([
    hasAtMostCharacters("abc", 3),
    hasAtMostCharacters("abcd", 3),
    hasAtMostCharacters("😀😀😀", 3),
    hasAtMostCharacters("😀😀😀😀", 3),
    hasAtMostCharacters("😀aa", 3),
    hasAtMostCharacters("", 0),
  ]).toEqual([true, false, true, false, true, true]);
});

it("a cut never splits a character", () => {
  expect([firstCharacters("😀😀😀", 2), firstCharacters("ab", 5), firstCharacters("abc", 0)]).toEqual(["😀😀", "ab", ""]);
});
