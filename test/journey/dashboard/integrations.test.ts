// A new key and webhook in the dashboard, then a send, its delivery, and a refused call.
import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { customer, person } from "../../support/clients.ts";
import { axeViolations } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";

const WITHIN_MS = 60_000;
const SHOP = "5511900000395";
const CONTACT = "5511900000002";

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
  await page.getByRole("button", { name: "Guardei" }).click();
  await secret.waitFor({ state: "detached" });
  return value;
}

it("a key sends, a webhook is told, and the pages show the delivery and a refused call", async () => {
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
  await page.getByRole("dialog", { name: "Chamada" }).getByText("requisicao_invalida").first().waitFor();
});

it("on a phone, a webhook for all usual events is an address and a button; each event is behind a fold", async () => {
  const { call } = await person(dashboard().ready);
  const { data } = (await ok(call("POST", "/connections", { name: "Agência" }), 201)) as { data: { id: number } };
  const { page } = await dashboard().visit(`/connections/${data.id}/integrations`, { phone: true });
  await page.getByLabel("URL de destino").fill(receiver.url);
  await page.getByText("Conferir agora").waitFor();
  // 4,116 px with every event and the check unfolded.
  expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeLessThan(2_500);
  const event = page.getByRole("checkbox", { name: "message.received" });
  expect(await event.isVisible()).toBe(false);
  await page.getByText("Ver cada evento de Mensagens").click();
  await event.waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Criar webhook" }).click();
  expect(await shownOnce(page)).toMatch(/^whsec_/);
});
