// Every alarm has a row that says where to look and what to do, and every row belongs to an alarm.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AWAY, CONTAINER, guideOf } from "@gateway/domain/fleet/alarms.ts";

const PAGE = "docs/operate/monitoring.md";
const page = readFileSync(new URL(`../../../${PAGE}`, import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| <a id="([^"]+)"><\/a>`(\w+)[^|]*\|([^|]+)\|([^|]+)\|$/gm)];

describe.each(["pt", "en"])("an alarm's meaning in %s", (language) => {
  it("has a row in the operator's table, and each row has a meaning", async () => {
    // Loads browser code, whose types are not available in this project.
    const path = `../../../dashboard/src/texts/${language}/admin.ts`;
    const { default: texts } = (await import(path)) as { default: { fleet: { meanings: Record<string, string> } } };
    const kinds = [...Object.keys(texts.fleet.meanings), "mail quota"].map((name) => {
      const [kind = "", code = ""] = name.split(" ");
      return { kind, code };
    });
    const anchors = rows.map(([, anchor]) => `${PAGE}#${anchor}`);
    expect([...new Set(kinds.map(guideOf))].toSorted()).toEqual(anchors.toSorted());
    expect(anchors).toEqual(expect.arrayContaining([guideOf({ kind: CONTAINER, code: "sandbox" }), guideOf(AWAY)]));
  });
});

it("each row of the alarms says where to look and what to do", () => {
  expect(rows.length).toBeGreaterThan(10);
  for (const [, , , look = "", act = ""] of rows) expect([look.trim().length, act.trim().length].every((length) => length > 5)).toBe(true);
});
