// Accessibility violations found by axe. The script is injected with `evaluate`, because the page's policy blocks script elements.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

type Result = { violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] };

/** One line per violation and element. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Half a megabyte, so it is loaded once per document.
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

/** Horizontal scroll distance of the page, in CSS pixels. */
export function sidewaysScroll(page: Page): Promise<number> {
  // Negative if the page fits the window and reserves space for a scroll bar.
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
}
