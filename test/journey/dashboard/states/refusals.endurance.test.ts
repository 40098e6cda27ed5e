// A person whose action is refused sees what happened, what to do, and the button for it.
import type { Page, Route } from "playwright-core";
import { expect, it } from "vitest";
import { person } from "#root/test/support/clients.ts";
import { axeViolations } from "#root/test/support/dashboard/axe.ts";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";
import { ok } from "#root/test/support/replies.ts";

const dashboard = useDashboard(["--no-limits"]);
const BILLING = "https://billing.example.com/";

const demo = () => `/connections/${dashboard().ready.demo.connection.id}`;

/** Responds with a refusal, until the returned function is called. */
async function refuse(page: Page, url: RegExp, status: number, code: string, headers: Record<string, string> = {}) {
  const act = (route: Route) =>
    route.fulfill({ status, headers: { "x-request-id": "r-1", ...headers }, json: { error: { code, message: "" }, request_id: "r-1" } });
  await page.route(url, act);
  return () => page.unroute(url, act);
}

it("an unsubscribed account is told so at pairing, and led to the place that sells a subscription", async () => {
  const { call } = await person(dashboard().ready);
  const { data } = await ok<{ data: { id: number } }>(call("POST", "/connections", { name: "Sem plano" }), 201);
  const { page, trouble } = await dashboard().visit(null);
  trouble.expect(/402/);
  await refuse(page, /\/connect$/, 402, "subscription_required");
  await page.route(/\/api\/dashboard\/me$/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { data: object };
    await route.fulfill({ response: answer, json: { data: { ...body.data, billing_url: BILLING } } });
  });
  await page.goto(`/connections/${data.id}/pair?by=qr`);
  await page.getByRole("alert").getByText("assinatura ativa").waitFor();
  const subscribe = page.getByRole("alert").getByRole("link", { name: "Assinar agora" });
  expect(await subscribe.getAttribute("href")).toBe(BILLING);
  expect(await axeViolations(page)).toEqual([]);
  await page.close();
  await ok(call("DELETE", `/connections/${data.id}`));
});

it("a part of a page that failed says whom to ask and what to tell them, and loads on request", async () => {
  const { page, trouble } = await dashboard().visit(null);
  trouble.expect(/500/);
  const allow = await refuse(page, /\/logs\/summary$/, 500, "internal_error");
  await page.goto(`${demo()}/logs`);
  const failed = page.getByRole("alert").filter({ hasText: "deu errado" });
  await failed.getByText("Fale com quem").waitFor();
  await failed.locator("summary").click();
  await failed.getByText("r-1").waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await allow();
  await failed.getByRole("button", { name: "Tentar de novo" }).click();
  await failed.waitFor({ state: "detached" });
});

it("too many reads say when to try again", async () => {
  const { page, trouble } = await dashboard().visit(null);
  trouble.expect(/429/);
  await refuse(page, /\/logs\/summary$/, 429, "repeated_read", { "retry-after": "40" });
  await page.goto(`${demo()}/logs`);
  const wait = page.getByRole("alert").getByText(/^Tente de novo em \d+ s\.$/);
  // Rounded up, after the difference between the two clocks.
  expect(Number(/\d+/.exec(await wait.innerText())?.[0])).toBeLessThanOrEqual(42);
});

it("a missing permission says whom to ask for it", async () => {
  const { page, trouble } = await dashboard().visit(null);
  trouble.expect(/403/);
  await refuse(page, /\/logs\/summary$/, 403, "forbidden");
  await page.goto(`${demo()}/logs`);
  const refusal = page.getByRole("alert").getByText("Você não tem permissão para isso.");
  expect(await refusal.innerText()).toContain("fale com quem deu acesso a você.");
  expect(await page.getByRole("alert").getByRole("button").count()).toBe(0);
});

it("a page that lost its connection says so once, and reconnects when the user retries", async () => {
  const { page, trouble } = await dashboard().visit(null);
  trouble.expect(/ERR_FAILED/);
  await page.route(/\/stream$/, (route) => route.fulfill({ contentType: "text/event-stream", body: "retry: 600000\n\n" }));
  // Otherwise the page would also come back by itself, after five seconds.
  await page.addInitScript("const every = setInterval; setInterval = (act, ms) => (ms === 5_000 ? 0 : every(act, ms));");
  await page.goto(demo());
  await page.getByRole("region", { name: "Saúde do número" }).waitFor();
  const cut = (route: Route) => route.abort();
  await page.route(/\/api\/dashboard\//, cut);
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  const line = page.locator(".shell-body").getByText("Sem conexão com o servidor.");
  await line.waitFor();
  const ofStream = page.getByText("Reconectando…");
  await ofStream.waitFor({ state: "attached" });
  const isShown = () => ofStream.evaluate((element) => getComputedStyle(element).display !== "none");
  expect(await isShown()).toBe(false);
  expect(await axeViolations(page)).toEqual([]);
  await page.unroute(/\/api\/dashboard\//, cut);
  const asked = page.waitForResponse(/\/session$/);
  await line.locator("..").getByRole("button", { name: "Tentar de novo" }).click();
  await asked;
  await line.waitFor({ state: "detached" });
  expect(await isShown()).toBe(true);
});
