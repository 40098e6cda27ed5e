// Operators copy the alerts into Prometheus: each uses metrics from the page and matches vectors as PromQL requires
// (docs/operate/metrics.md, "Alerts for Prometheus").
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const page = readFileSync(new URL("../../../docs/operate/metrics.md", import.meta.url), "utf8");
const [alerts = "", listed = ""] = page.split("\n## All metrics\n");
const rows = [...alerts.matchAll(/^\| ([^|-][^|]*) \| `([^`]+)`/gm)].map(([, name = "", expression = ""]) => ({ name, expression }));
const known = new Set([...listed.matchAll(/`((?:gateway|nodejs|process)_\w+)`/g)].map(([, name]) => name));

describe("alerts", () => {
  it("number eight on the page", () => expect(rows).toHaveLength(8));

  it.each(rows)("have balanced brackets and existing metrics: $name", ({ expression }) => {
    for (const [open, close] of ["()", "[]", "{}"]) expect(expression.split(open ?? "").length).toBe(expression.split(close ?? "").length);
    const used = [...expression.matchAll(/\b(?:gateway|nodejs|process)_\w+/g)].map(([name]) => name.replace(/_bucket$/, ""));
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  // Prometheus refuses `0.01 * ignoring(code) …`: "vector matching only allowed between vectors".
  it.each(rows)("match vectors with vectors: $name", ({ expression }) => {
    expect(expression).not.toMatch(/\d\s*(?:[-+*/%^]|[<>=!]=?)\s*(?:on|ignoring)\s*\(/);
  });
});
