import { describe, expect, it } from "vitest";
import { mentionAt, mentionName, withNumbers } from "#root/dashboard/src/domain/messages/mentions.ts";

const ANA = "5511900000011";
const BIA = "5511900000012";

describe("a mention that is being typed", () => {
  const at = (text: string) => mentionAt(text, text.length);

  it("starts with an @ at the beginning of a word", () => {
    expect([at("@"), at("Oi @an"), at("Oi\n@an"), at("(@an")]).toEqual([
      { at: 0, typed: "" },
      { at: 3, typed: "an" },
      { at: 3, typed: "an" },
      { at: 1, typed: "an" },
    ]);
    expect([at("ana@loja"), at("Oi"), at("@ana\nOi")]).toEqual([null, null, null]);
  });

  it("can have more than one word, and ends with a space", () => {
    expect(at("Oi @ana sou")).toEqual({ at: 3, typed: "ana sou" });
    expect([at("Oi @Ana "), at("Oi @ ")]).toEqual([null, null]);
  });

  it("is read before the caret", () => {
    expect(mentionAt("Oi @an, tudo bem?", 6)).toEqual({ at: 3, typed: "an" });
    expect(mentionAt("Oi @an", 2)).toBeNull();
  });
});

describe("a name in a text", () => {
  it("has no @ or line break, and no name is used for two people", () => {
    expect(mentionName("Ana @ loja\n1", ANA, {})).toBe("Ana loja 1");
    expect(mentionName("Ana", ANA, { Ana: ANA })).toBe("Ana");
    expect(mentionName("Ana", BIA, { Ana: ANA })).toBe(`Ana ${BIA}`);
    expect(mentionName("@", ANA, {})).toBe(ANA);
  });

  it("becomes the number when the text is sent", () => {
    const mentioned = { Ana: ANA, "Ana Bia": BIA };
    expect(withNumbers("Oi @Ana Bia, @Ana! E @Ana?", mentioned)).toEqual({
      text: `Oi @${BIA}, @${ANA}! E @${ANA}?`,
      mentions: [BIA, ANA],
    });
  });

  it("stays as it is if it was changed, or was never chosen", () => {
    expect(withNumbers("@Anas, ana@Ana.com e @Caio", { Ana: ANA })).toEqual({ text: "@Anas, ana@Ana.com e @Caio", mentions: [] });
    expect(withNumbers("@constructor", {})).toEqual({ text: "@constructor", mentions: [] });
  });
});
