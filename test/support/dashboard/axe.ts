// Accessibility of a page as axe finds it. It enters by `evaluate`: the page's policy refuses a script element.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

type Result = { violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] };

/** One line per violation and element. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Half a megabyte: once for each document.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(SOURCE);
  const { violations } = await page.evaluate(
    (tags) =>
      (globalThis as unknown as { axe: { run: (what: object, how: object) => Promise<Result> } }).axe.run(document, { runOnly: tags }),
    TAGS,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

/** How far the page can be scrolled sideways, in CSS pixels. */
export function sidewaysScroll(page: Page): Promise<number> {
  // Less than nothing where the page is as wide as the window and leaves room for a scroll bar.
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
}
