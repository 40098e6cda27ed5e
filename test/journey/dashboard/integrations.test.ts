// A new key and webhook in the dashboard, then a send, its delivery, and a refused call.
import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, customer, person, phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";

const WITHIN_MS = 60_000;
const SHOP = "5511900000395";
const CONTACT = "5511900000002";
const BIA = "5511933950001";

const dashboard = useDashboard();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
});
afterAll(() => receiver.stop());

/** Reads a secret while it is visible, and closes its dialog. */
async function shownOnce(page: Page): Promise<string> {
  const secret = page.locator("[data-secret]");
  const value = await secret.innerText();
  await page.getByRole("button", { name: "Já guardei" }).click();
  await secret.waitFor({ state: "detached" });
  return value;
}

it("a key sends, a webhook is notified, and the pages show the delivery and a refused call", async () => {
  const shop = await pairConnection(dashboard().ready, SHOP, { name: "Integrada" });
  const path = `/connections/${shop.id}`;
  const { page } = await dashboard().visit(`${path}/integrations`);
  await page.getByLabel("URL de destino").fill(receiver.url);
  await page.getByRole("button", { name: "Criar webhook" }).click();
  const secret = await shownOnce(page);
  await page.getByRole("button", { name: "Gerar chave" }).click();
  await page.getByLabel("Nome da chave").fill("ERP");
  await page.getByRole("dialog").getByRole("button", { name: "Gerar chave" }).click();
  const api = customer(dashboard().ready, await shownOnce(page));

  expect((await api.text(CONTACT, "Pela chave nova")).status).toBe(200);
  const told = await receiver.waitFor(
    "the echo",
    WITHIN_MS,
    ({ type, data }) => type === "message.received" && data.text === "Pela chave nova",
  );
  const id = told.headers["webhook-id"] as string;
  expect(new Webhook(secret).verify(told.body, told.headers as Record<string, string>)).toMatchObject({ id });
  await page.goto(`${path}/deliveries`);
  await page.locator(`a[href*="${id}"]`).click();
  await page.getByRole("dialog", { name: "message.received" }).getByText("● entregue").waitFor();

  const refused = await api.call("POST", "/messages/text", { to: CONTACT });
  expect(refused.status).toBe(400);
  await page.goto(`${path}/logs`);
  await page.locator(`a[href*="${refused.headers.get("x-request-id")}"]`).click();
  await page.getByRole("dialog", { name: "Requisição" }).getByText("requisicao_invalida").first().waitFor();
});

it("a new secret is shown even if the page's later reads are never answered", async () => {
  const { call } = await person(dashboard().ready);
  const { data } = (await ok(call("POST", "/connections", { name: "Sem leitura" }), 201)) as { data: { id: number } };
  const reads = /\/api\/dashboard\/(account-keys|connections\/\d+\/(keys|webhook))$/;
  const withoutReads = async (path: string, ...known: readonly string[]) => {
    const { page } = await dashboard().visit(path);
    for (const text of known) await page.getByText(text, { exact: true }).first().waitFor();
    await page.route(reads, (route) => (route.request().method() === "GET" ? undefined : route.continue()));
    return page;
  };
  const path = `/connections/${data.id}/integrations`;
  const page = await withoutReads(path, "Nenhuma chave ainda", "Criar webhook");
  const dialog = page.getByRole("dialog");
  await page.getByLabel("URL de destino").fill(receiver.url);
  await page.getByRole("button", { name: "Criar webhook" }).click();
  const secret = await shownOnce(page);
  await page.getByRole("button", { name: "Gerar chave" }).click();
  await page.getByLabel("Nome da chave").fill("ERP");
  await dialog.getByRole("button", { name: "Gerar chave" }).click();
  const key = await shownOnce(page);
  await page.getByRole("button", { name: "Trocar a chave ERP" }).click();
  await dialog.getByRole("button", { name: "Gerar chave" }).click();
  const secondKey = await shownOnce(page);
  // The rotation goes on with the new key.
  await dialog.getByText("A chave nova ainda não foi usada.").waitFor();
  const rotating = await withoutReads(path, "Trocar chave secreta");
  await rotating.getByRole("button", { name: "Trocar chave secreta" }).click();
  await rotating.getByRole("dialog").getByRole("button", { name: "Trocar", exact: true }).click();
  const secondSecret = await shownOnce(rotating);
  expect([secret, key, secondKey, secondSecret]).toEqual(
    [/^whsec_/, /^svc_/, /^svc_/, /^whsec_/].map((form) => expect.stringMatching(form)),
  );
  const account = await withoutReads("/account", "Nova chave");
  await account.getByRole("button", { name: "Nova chave" }).click();
  await account.getByLabel("Nome", { exact: true }).last().fill("ERP");
  await account.getByRole("button", { name: "Gerar chave" }).click();
  expect(await shownOnce(account)).toMatch(/^acc_/);
});

it("an assistant without forms sends what a person confirms on a phone, and nothing that was declined", async () => {
  const { ready } = dashboard();
  const shop = await pairConnection(ready, "5511900000398", { name: "Assistida" });
  const network = phones(ready);
  await network.create(BIA, "Bia");
  await ok(network.send(BIA, { chat_id: shop.phone, text: "Vocês abrem amanhã?" }));
  const call = async (text: string) => {
    const params = { name: "send_text", arguments: { chat_id: BIA, text, request_id: encodeURIComponent(text) } };
    const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const answer = await ask(`${ready.app_url}/mcp`, { json, headers: { authorization: `Bearer ${shop.key}` } });
    return answer.body.result as { isError?: true; content: { text: string }[] };
  };
  const pageOf = async (text: string) =>
    / (?:http:\/\/[^/]+)(\/connections\/\S+) /.exec((await call(text)).content[0]?.text ?? "")?.[1] ?? "";
  await expect.poll(() => pageOf("Abrimos às 9")).toMatch(/confirmations/);

  const { page } = await dashboard().visit(await pageOf("Abrimos às 9"), { phone: true });
  await page.getByText("Abrimos às 9", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Bia" }).waitFor();
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
  await page.getByRole("button", { name: "Confirmar" }).click();
  await page.getByText("Você confirmou").waitFor();
  expect((await call("Abrimos às 9")).isError).toBeUndefined();

  const english = await dashboard().visit(await pageOf("Não abrimos"), { language: "en", theme: "dark" });
  await english.page.getByText("Não abrimos", { exact: true }).waitFor();
  expect(await axeViolations(english.page)).toEqual([]);
  await english.page.getByRole("button", { name: "Decline" }).click();
  await english.page.getByText("Declined").waitFor();
  expect((await call("Não abrimos")).content[0]?.text).toMatch(/declined/);
  await english.page.goto(`/connections/${shop.id}/confirmations/none`);
  await english.page.getByText("This request no longer exists").waitFor();
  await expect.poll(async () => (await network.inbox(BIA)).map(({ text }) => text)).toEqual(["Vocês abrem amanhã?", "Abrimos às 9"]);
});

it("a webhook for all usual events takes an address and a button on a phone; each event is behind a fold", async () => {
  const { call } = await person(dashboard().ready);
  const { data } = (await ok(call("POST", "/connections", { name: "Agência" }), 201)) as { data: { id: number } };
  const { page } = await dashboard().visit(`/connections/${data.id}/integrations`, { phone: true });
  await page.getByLabel("URL de destino").fill(receiver.url);
  await page.getByText("Conferir agora").waitFor();
  // 4,116 px with every event and the check unfolded.
  expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeLessThan(2_500);
  const event = page.getByRole("checkbox", { name: "message.received" });
  expect(await event.isVisible()).toBe(false);
  await page.getByText(/^Eventos \(/).click();
  await page.getByText("Ver cada evento de Mensagens").click();
  await event.waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Criar webhook" }).click();
  expect(await shownOnce(page)).toMatch(/^whsec_/);
});
