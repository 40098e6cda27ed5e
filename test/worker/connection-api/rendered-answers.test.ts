import { describe, expect, it } from "vitest";
import { RenderedAnswers } from "#root/src/api/serve.ts";
import { ROUTES } from "#root/src/api/connection/routes.ts";

const [one, other] = ROUTES;
if (one === undefined || other === undefined) throw new Error("there are no routes");
const NOW = Date.UTC(2030, 0, 1);

function counted() {
  let count = 0;
  return () => `rendered ${(count += 1)}`;
}

describe("the text of an answer", () => {
  it("is rendered once per route and content", () => {
    const [texts, render] = [new RenderedAnswers(), counted()];
    expect(texts.get(one, "[]", NOW, render)).toBe("rendered 1");
    expect(texts.get(one, "[]", NOW + 1, render)).toBe("rendered 1");
    expect(texts.get(other, "[]", NOW + 1, render)).toBe("rendered 2");
    expect(texts.get(one, "[1]", NOW + 1, render)).toBe("rendered 3");
  });

  it("is never older than the read cache: links in it may have expired since", () => {
    const [texts, render] = [new RenderedAnswers(), counted()];
    texts.get(one, "[]", NOW, render);
    expect(texts.get(one, "[]", NOW + 9_999, render)).toBe("rendered 1");
    expect(texts.get(one, "[]", NOW + 10_000, render)).toBe("rendered 2");
  });

  it("is evicted when the cache is full", () => {
    const [texts, render] = [new RenderedAnswers(), counted()];
    texts.get(one, "[]", NOW, render);
    texts.get(one, "x".repeat(2_500_000), NOW, render);
    texts.get(one, "y".repeat(2_500_000), NOW, render);
    expect(texts.get(one, "[]", NOW, render)).toBe("rendered 4");
  });
});
