// Visits every dashboard page once, without its states: it loads, has no axe violation, and does not scroll horizontally. The accessibility
// journey (endurance) covers each state in both languages, themes and widths.
import { expect, it } from "vitest";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard, type WindowOptions } from "../../support/dashboard/dashboard.ts";

const dashboard = useDashboard();

/** Grouped by viewer; `:id` is the demo connection, `:contact` the chat with its contact. */
const PAGES: Readonly<Record<"nobody" | "demo" | "admin", readonly string[]>> = {
  nobody: ["/sign-in", "/sign-up", "/forgot", "/suspended", "/pair", "/nowhere"],
  demo: [
    "/connections",
    "/connections/:id",
    "/connections/:id/pair",
    "/connections/:id/chats",
    "/connections/:id/chats/:contact",
    "/connections/:id/integrations",
    "/connections/:id/confirmations/none",
    "/connections/:id/deliveries",
    "/connections/:id/events",
    "/connections/:id/logs",
    "/connections/:id/settings",
    "/account",
  ],
  admin: ["/admin/now", "/admin/statistics", "/admin/users", "/admin/instances", "/admin/fleet", "/admin/proxies", "/admin/audit"],
};

const LOOKS: readonly WindowOptions[] = [
  { language: "pt", theme: "light" },
  { language: "en", theme: "dark", width: 360 },
];

it.each(Object.entries(PAGES))("each page of %s can be read by everybody", async (who, paths) => {
  const { demo, admin } = dashboard().ready;
  const as = { nobody: null, demo: demo.email, admin: admin.email }[who] ?? null;
  const windows = await Promise.all(LOOKS.map((look) => dashboard().visit(null, { ...look, as })));
  const found: string[] = [];
  for (const [at, path] of paths.entries()) {
    const { page } = windows[at % windows.length]!;
    const address = path.replace(":id", String(demo.connection.id)).replace(":contact", `${demo.contact?.phone ?? ""}@c.us`);
    await page.goto(address);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.locator("main [aria-busy=true]").count()).toBe(0);
    found.push(...(await axeViolations(page)).map((line) => `${path}: ${line}`));
    if ((await sidewaysScroll(page)) > 0) found.push(`${path}: scrolls sideways`);
    expect(new URL(page.url()).pathname).toBe(address);
  }
  expect(found).toEqual([]);
});

it.each([
  ["pt", "Conta e preferências", "Ajuda", "Painel"],
  ["en", "Account and preferences", "Help", "Dashboard"],
] as const)("the menu opens the help in %s in a new tab, and the help leads back", async (language, menu, help, back) => {
  const { page: dashboardTab } = await dashboard().visit("/connections", { language, phone: true });
  await dashboardTab.getByRole("button", { name: menu }).click();
  const opened = dashboardTab.waitForEvent("popup");
  await dashboardTab.getByRole("link", { name: help }).click();
  const page = await opened;
  await page.getByRole("heading", { level: 1, name: help }).waitFor();
  expect(new URL(page.url()).search).toBe(`?lang=${language}`);
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
  await page.getByRole("link", { name: back, exact: true }).click();
  await page.waitForURL("**/connections");
});

it("a refusal says what to do, and shows its code in the technical details", async () => {
  const { demo } = dashboard().ready;
  const { page, trouble } = await dashboard().visit(`/connections/${demo.connection.id}/settings`);
  trouble.expect(/429/);
  await page.route(`**/api/dashboard/connections/${demo.connection.id}`, (route) => {
    if (route.request().method() !== "PATCH") return route.continue();
    const json = { error: { code: "rate_limited", message: "Wait for Retry-After." }, request_id: "4f1c" };
    return route.fulfill({ status: 429, headers: { "retry-after": "7", "x-request-id": "4f1c" }, json });
  });
  await page.getByLabel("Nome da conexão").fill("Outro nome");
  await page.getByRole("button", { name: "Salvar nome" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "Espere um pouco" });
  await alert.waitFor();
  expect(await alert.innerText()).not.toMatch(/429|rate_limited|Retry-After/);
  await alert.getByText("Detalhes técnicos").click();
  expect(await alert.innerText()).toMatch(/4f1c[\s\S]*rate_limited \(HTTP 429\)/);
});
