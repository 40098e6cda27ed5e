// What the keyboard alone reaches on a page.
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";

/** More than any page has. */
const MAX_STOPS = 400;

/** Once when it comes round, and once more when what had the focus goes away, as an open menu does. */
const MAX_OUTSIDE = 3;

/**
 * Presses Tab until it has come round. Answers what can be clicked and was not reached, and what shows no outline while it has the
 * focus. Of radio buttons, tabs and menus one is enough: arrows move within.
 */
export async function keyboardReach(page: Page): Promise<string[]> {
  // Keys go to the window in front: others may have been opened meanwhile.
  await page.bringToFront();
  // A part that is still being read shows its controls later.
  await eventually("nothing is loading", 60_000, async () => (await page.locator("[role=status][aria-busy]").count()) === 0);
  // What opens over the page takes the focus a moment after it was clicked for.
  await eventually("what is open has the focus", 60_000, () =>
    page.evaluate(() =>
      [...document.querySelectorAll("[popover=auto]:popover-open")].every((open) => open.contains(document.activeElement)),
    ),
  );
  await page.evaluate(() => {
    document.querySelectorAll("[data-reached]").forEach((element) => element.removeAttribute("data-reached"));
  });
  const problems = new Set<string>();
  let outside = 0;
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    await page.keyboard.press("Tab");
    const { known, problem, at } = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return { known: false, problem: "", at: "body" };
      const already = element.hasAttribute("data-reached");
      element.setAttribute("data-reached", "");
      const label = `${element.tagName.toLowerCase()} ${element.getAttribute("aria-label") ?? element.textContent?.slice(0, 40) ?? ""}`;
      const seen = (candidate: Element | null): boolean => candidate !== null && getComputedStyle(candidate).outlineStyle !== "none";
      // A radio button that looks otherwise shows the focus on its label.
      const outlined = seen(element) || seen(element.closest("label"));
      return { known: already, problem: outlined ? "" : `no outline: ${label}`, at: label };
    });
    if (problem !== "") problems.add(problem);
    // Round, or held in one place.
    outside = at === "body" ? outside + 1 : 0;
    if (known || outside === MAX_OUTSIDE) break;
  }
  const missed = await page.evaluate(() => {
    const open = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
    const controls = [...open.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary, [tabindex='0']")];
    return controls
      .filter((control) => {
        if (control.hasAttribute("data-reached") || control.matches(":disabled, [tabindex='-1'], [type=hidden]")) return false;
        if (!control.checkVisibility({ checkVisibilityCSS: true }) || control.closest("[inert]") !== null) return false;
        if (control instanceof HTMLInputElement && control.type === "radio") {
          const group = open.querySelectorAll(`input[type=radio][name="${CSS.escape(control.name)}"]`);
          return ![...group].some((radio) => radio.hasAttribute("data-reached"));
        }
        return true;
      })
      .map((control) => `not reached: ${control.outerHTML.slice(0, 160)}`);
  });
  return [...problems, ...missed];
}
