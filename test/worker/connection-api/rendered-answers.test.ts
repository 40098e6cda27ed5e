import { describe, expect, it } from "vitest";
import { RenderedAnswers } from "../../../src/connection-api/rendered-answers.ts";
import { ROUTES } from "../../../src/connection-api/routes.ts";

const [one, other] = ROUTES;
if (one === undefined || other === undefined) throw new Error("there are no routes");
const NOW = Date.UTC(2030, 0, 1);

function counted() {
  let drawn = 0;
  return () => `drawn ${(drawn += 1)}`;
}

describe("the text of an answer", () => {
  it("is drawn once per route and content", () => {
    const [texts, draw] = [new RenderedAnswers(), counted()];
    expect(texts.get(one, "[]", NOW, draw)).toBe("drawn 1");
    expect(texts.get(one, "[]", NOW + 1, draw)).toBe("drawn 1");
    expect(texts.get(other, "[]", NOW + 1, draw)).toBe("drawn 2");
    expect(texts.get(one, "[1]", NOW + 1, draw)).toBe("drawn 3");
  });

  it("is never older than the read cache: links in it may have expired since", () => {
    const [texts, draw] = [new RenderedAnswers(), counted()];
    texts.get(one, "[]", NOW, draw);
    expect(texts.get(one, "[]", NOW + 9_999, draw)).toBe("drawn 1");
    expect(texts.get(one, "[]", NOW + 10_000, draw)).toBe("drawn 2");
  });

  it("is forgotten when there is too much of it", () => {
    const [texts, draw] = [new RenderedAnswers(), counted()];
    texts.get(one, "[]", NOW, draw);
    texts.get(one, "x".repeat(4_000_000), NOW, draw);
    expect(texts.get(one, "[]", NOW, draw)).toBe("drawn 3");
  });
});
