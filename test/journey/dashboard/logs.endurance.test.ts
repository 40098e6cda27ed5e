// The request log page: responses to a key's calls, live.
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { AccountCalls } from "../../support/account-holder.ts";
import { administrator } from "../../support/invited-user.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard, type WindowOptions } from "../../support/dashboard/dashboard.ts";
import { phones, type Reply } from "../../support/clients.ts";
import { type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";
import { bestOfThree } from "../../support/promised-times.ts";

const SHOP = "5511900000071";
const CONTACT = "5511900000072";
const PRIVATE_TEXT = "um segredo do cliente";
const SHOWN_WITHIN_MS = 2_000;

// This sandbox enforces limits, which the test uses to provoke refusals.
const dashboard = useDashboard([]);
let shop: PairedConnection;
let admin: AccountCalls;
let ownerId: string;

beforeAll(async () => {
  const { ready } = dashboard();
  shop = await pairConnection(ready, SHOP, { name: "Registros" });
  await phones(ready).create(CONTACT, "Bia");
  admin = await administrator(ready);
  ownerId = (await shop.owner.call("GET", "/me")).body.data.id as string;
});

const path = (rest = "") => `/connections/${shop.id}/logs${rest}`;
const open = (options: WindowOptions = {}) => dashboard().visit(path(), options);

const calls = (page: Page) => page.getByRole("region", { name: "Requisições" }).getByRole("row");

/** The table's rows without its header. */
const rowsOf = async (page: Page) => (await calls(page).allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, " "));
const textOf = async (element: Locator) => (await element.innerText()).replaceAll(/\s+/g, " ");

/** Makes the call, waits until the page shows its refusal, and returns the last response. */
async function refusalShown(page: Page, call: () => Promise<Reply>): Promise<Reply> {
  let answer!: Reply;
  await bestOfThree("a refusal is on the page", SHOWN_WITHIN_MS, async () => {
    answer = await call();
    const answeredAt = performance.now();
    const id = answer.headers.get("x-request-id") ?? "";
    await page.locator(`a[href*="${id}"]`).waitFor();
    return performance.now() - answeredAt;
  });
  return answer;
}

async function subscription(status: "active" | "canceled") {
  const terms = { plan: "pro", status, max_instances: 5, current_period_end: null, reason: "a test" };
  await ok(admin("PUT", `/admin/users/${ownerId}/subscription`, terms));
}

describe("a refusal of a key's call", () => {
  it("appears within 2 s for a 402 with its code, the key's name, the time and the request id", async () => {
    const { page } = await open();
    await calls(page).first().waitFor();
    await subscription("canceled");
    const refused = await refusalShown(page, () => shop.api.text(CONTACT, PRIVATE_TEXT));
    await subscription("active");
    expect(refused.status).toBe(402);
    const id = refused.headers.get("x-request-id") ?? "";
    const row = page.getByRole("row").filter({ has: page.locator(`a[href*="${id}"]`) });
    expect(await textOf(row)).toMatch(/402 sem_assinatura test \d+ ms/);
    await page.locator(`a[href*="${id}"]`).click();
    const drawer = page.getByRole("dialog", { name: "Requisição" });
    await drawer.getByText(id).waitFor();
    const shown = await drawer.innerText();
    for (const part of ["402", "sem_assinatura", "test", /\d+ ms/, "/api/v1/messages/text"]) expect(shown).toMatch(part);
    expect(new URL(page.url()).pathname).toBe(path(`/${id}`));
    await page.goBack();
    await drawer.waitFor({ state: "hidden" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("href"))).toContain(id);
  });

  it("appears as fast for a 429 and a 424", async () => {
    const { page } = await open({ language: "en" });
    await page.getByRole("link", { name: "/api/v1/messages/text" }).first().waitFor();
    let limited: Reply = await shop.api.get("/instance");
    while (limited.status === 200) limited = await shop.api.get("/instance");
    expect(limited.status).toBe(429);
    expect((await refusalShown(page, () => shop.api.get("/instance"))).status).toBe(429);
    const row = page.getByRole("row").filter({ hasText: "429 consulta_repetida" }).first();
    await row.getByText("You made the same read more than 60 times in 1 minute.", { exact: false }).waitFor();
    // Takes the send's full timeout.
    const uncertain = await refusalShown(page, async () => {
      await phones(dashboard().ready).call("POST", "/faults", { phone: SHOP, kind: "lose_send" });
      return shop.api.text(CONTACT, PRIVATE_TEXT);
    });
    expect(uncertain.status).toBe(424);
    await page.locator(`a[href*="${uncertain.headers.get("x-request-id")}"]`).click();
    await page.getByText("Don't repeat this call without checking").waitFor();
    await page.getByText("resultado_incerto").first().waitFor();
  });

  it("is grouped with its like, and leads to their calls by an address that survives a reload", async () => {
    for (let call = 0; call < 2; call += 1) await shop.api.call("POST", "/messages/text", { to: "x" });
    const { page } = await open();
    const group = page.getByRole("button", { name: /^400 requisicao_invalida POST .*text ver requisições$/ });
    await group.click();
    await page.waitForURL(/status=400/);
    // The previous rows stay until the new ones have loaded.
    const refused = expect.stringContaining("400 requisicao_invalida");
    await expect.poll(() => rowsOf(page)).toEqual([refused, refused]);
    await page.reload();
    await expect.poll(() => rowsOf(page)).toEqual([refused, refused]);
    await page.getByRole("button", { name: "Limpar filtros" }).click();
    await page.waitForURL((url) => url.search === "");
    // The page itself called the gateway, but shows that only on request.
    await expect.poll(async () => (await rowsOf(page)).length).toBeGreaterThan(0);
    expect((await rowsOf(page)).filter((row) => row.includes("/api/dashboard/"))).toEqual([]);
    await page.getByRole("combobox", { name: "Chave" }).selectOption({ label: "Painel" });
    await page.getByRole("link", { name: "/api/dashboard/connections/{id}/keys" }).waitFor();
    await expect.poll(async () => (await rowsOf(page)).every((row) => row.includes("painel"))).toBe(true);
  });
});

it("the log contains no text of a message, no phone and no key", async () => {
  await shop.api.text(CONTACT, PRIVATE_TEXT);
  await shop.api.get(`/chats/${CONTACT}@c.us/messages?limit=5`);
  const { page } = await open();
  await page.getByRole("link", { name: "/api/v1/chats/{chatId}/messages" }).first().click();
  await page.getByRole("dialog").getByText("curl", { exact: true }).waitFor();
  const { body } = await shop.owner.call("GET", `/connections/${shop.id}/logs?limit=100`);
  for (const seen of [await page.content(), JSON.stringify(body)]) {
    expect(seen).toContain("/api/v1/chats/{chatId}/messages");
    for (const secret of [PRIVATE_TEXT, CONTACT, SHOP, shop.key, shop.key.slice(4)]) expect(seen).not.toContain(secret);
  }
});

it.each([
  [200, null, "A requisição deu certo."],
  [409, "code_of_another_release", "O gateway recusou a requisição (HTTP 409)."],
  [500, null, "A requisição falhou no gateway (HTTP 500)."],
] as const)("a call with status %i and the code %s says how it ended", async (status, code, text) => {
  const { id, route } = (await shop.owner.call("GET", `/connections/${shop.id}/logs?limit=1`)).body.data[0] as Record<
    "id" | "route",
    string
  >;
  const { page } = await dashboard().visit(null);
  await page.route(`**/logs/${id}`, async (asked) => {
    const answer = await asked.fetch();
    if (!answer.headers()["content-type"]?.includes("json")) return asked.fulfill({ response: answer });
    const { data } = (await answer.json()) as { data: object };
    return asked.fulfill({ response: answer, json: { data: { ...data, status, code } } });
  });
  await page.goto(path(`/${id}`));
  const drawer = page.getByRole("dialog", { name: "Requisição" });
  await drawer.getByText(route).first().waitFor();
  expect(await drawer.getByRole("heading", { name: "O que aconteceu" }).locator("~ p").innerText()).toBe(text);
});

it("a call that is not in the log is reported as missing, with its request id, and without a retry", async () => {
  const { page, trouble } = await dashboard().visit(path("/00000000-0000-4000-8000-000000000000"));
  trouble.expect(/404/);
  const drawer = page.getByRole("dialog");
  await drawer.getByText("Requisição não encontrada. O registro guarda as requisições por 7 dias.").waitFor();
  await drawer.getByText("Detalhes técnicos").click();
  await drawer.getByText("ID da requisição").waitFor();
  expect(await drawer.getByRole("button", { name: "Tentar de novo" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => url.pathname === path());
  await expect.poll(() => drawer.count()).toBe(0);
});

it.each([
  ["pt", "light", false],
  ["en", "dark", true],
] as const)("the log is accessible in %s, %s, on a phone: %s, with nothing, a list and a call", async (language, theme, phone) => {
  const { id } = (await shop.owner.call("POST", "/connections", { name: `Vazia ${language}` })).body.data as { id: number };
  const { page } = await dashboard().visit(`/connections/${id}/logs?status=5xx`, { language, theme, phone });
  const nothing = language === "pt" ? "Nenhuma requisição com estes filtros" : "No calls match these filters";
  await page.getByText(nothing).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.goto(path());
  const links = page.getByRole("link", { name: "/api/v1/" });
  await links.first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  if (phone) await page.setViewportSize({ width: 320, height: 700 });
  expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
  await links.first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("curl", { exact: true }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("A");
  await shop.owner.call("DELETE", `/connections/${id}`);
});
