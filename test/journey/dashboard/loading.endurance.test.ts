// Requests and layout shifts of the list of connections on a slow phone (docs/internals/dashboard.md, "Budgets").
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { slowDown, useListOnPhone } from "../../support/dashboard/list-on-phone.ts";

const list = useListOnPhone();

type Loaded = { asked: number; came: number };

/** Start and end of a file's or response's transfer, in milliseconds. */
async function loadedAt(page: Page, name: string): Promise<Loaded> {
  const found = await page.evaluate(
    (part) =>
      performance
        .getEntriesByType("resource")
        .filter((entry) => entry.name.includes(part))
        .map((entry) => ({ asked: entry.startTime, came: (entry as PerformanceResourceTiming).responseEnd })),
    name,
  );
  expect(found, name).toHaveLength(1);
  return found[0] ?? { asked: 0, came: 0 };
}

it("the list of connections is complete after at most two calls, without layout shifts", async () => {
  const { page, session, calls } = await list.window();
  await slowDown(session);
  const { cls } = await list.stands(page);
  expect(cls).toBeLessThanOrEqual(0.02);
  expect(calls.length).toBeLessThanOrEqual(2);
});

it("the list requests its texts, page, session and rows once each while the platform script is still loading", async () => {
  const { page, session } = await list.window();
  await slowDown(session);
  await list.stands(page);
  const platform = await loadedAt(page, "/platform-");
  for (const name of ["/texts-pt-", "/connections-", "/widgets-", "/api/dashboard/session", "/api/dashboard/connections?"])
    expect((await loadedAt(page, name)).asked, name).toBeLessThan(platform.came);
});
