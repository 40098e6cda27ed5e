// A shop writes at night on a phone: messages and files wait, get another time, are cancelled, and are sent once the number is connected.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";

const SHOP = "5511900000389";
const ANA = "5511933970001";
const DAY_MS = 86_400_000;

/** A time zone where it is about noon, so that the day does not change during the test. Etc/GMT+3 is three hours behind UTC. */
const HOURS_TO_NOON = 12 - new Date().getUTCHours();
const NOON_ZONE = `Etc/GMT${HOURS_TO_NOON > 0 ? "-" : "+"}${Math.abs(HOURS_TO_NOON)}`;

const dashboard = useDashboard();

const waiting = (page: Page, text: string) => page.getByRole("article", { name: "Mensagem na fila" }).filter({ hasText: text });
const field = (page: Page) => page.getByRole("textbox", { name: "Escreva uma mensagem" });

async function later(page: Page, text: string, choice: RegExp | string): Promise<void> {
  await field(page).fill(text);
  await page.getByRole("button", { name: "Enviar mais tarde" }).click();
  await page.getByRole("menuitem", { name: choice }).click();
}

async function actOn(page: Page, text: string, action: string): Promise<void> {
  await waiting(page, text).getByRole("button", { name: "Ações da mensagem na fila" }).press("Enter");
  await page.getByRole("menuitem", { name: action }).press("Enter");
}

it("a chat schedules, changes and cancels messages, and sends one when the number connects", async () => {
  const shop = await pairConnection(dashboard().ready, SHOP, { name: "Loja noturna" });
  const network = phones(dashboard().ready);
  await network.create(ANA, "Ana");
  await ok(network.send(ANA, { chat_id: SHOP, text: "Vocês abrem amanhã?" }));

  const { page, trouble } = await dashboard().visit(`/connections/${shop.id}/chats/${ANA}@c.us`, {
    phone: true,
    options: { timezoneId: NOON_ZONE },
  });
  trouble.expect(/409.+\/seen/, /400.+\/waiting/);
  await later(page, "Bom dia, abrimos às 9", /^Amanhã/);
  await waiting(page, "Bom dia")
    .getByText(/^Envio: amanhã, 09:00$/)
    .waitFor();
  expect(await field(page).inputValue()).toBe("");
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);

  // By keyboard: another time and text.
  await actOn(page, "Bom dia", "Editar horário ou texto");
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole("dialog").getByLabel("Data e hora").fill(inDays(400));
  await page.getByRole("dialog").getByLabel("Texto").fill("Abrimos às 10");
  await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).press("Enter");
  // More than a year ahead.
  await page.getByRole("dialog").locator("[aria-invalid]").waitFor();
  await page.getByRole("dialog").getByLabel("Data e hora").fill(inDays(2));
  await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).press("Enter");
  await waiting(page, "Abrimos às 10").getByText("10:30").waitFor();

  // The limit moved with the time, and can also be set alone.
  await actOn(page, "Abrimos às 10", "Editar horário ou texto");
  const limit = page.getByRole("dialog").getByLabel("Não enviar depois de");
  expect(await limit.inputValue()).toBe(inDays(3));
  await limit.fill(inDays(1));
  await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).press("Enter");
  await page.getByRole("dialog").locator('[name="until"][aria-invalid]').waitFor();
  await limit.fill(inDays(4));
  await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await actOn(page, "Abrimos às 10", "Editar horário ou texto");
  await expect.poll(() => limit.inputValue()).toBe(inDays(4));
  await page.keyboard.press("Escape");

  await later(page, "Para cancelar", "Escolher horário");
  await page.getByRole("dialog").getByRole("button", { name: "Agendar" }).click();
  await actOn(page, "Para cancelar", "Cancelar envio");
  await page.getByRole("dialog").getByRole("button", { name: "Não enviar" }).click();
  await waiting(page, "Para cancelar").waitFor({ state: "detached" });

  // All of this chat's messages can be cancelled at once.
  const other = "5511933970002@c.us";
  const text = { kind: "text", text: "De outra conversa", chat_id: other, delivery: { at: new Date(Date.now() + DAY_MS).toISOString() } };
  await ok(shop.owner.call("POST", `/connections/${shop.id}/messages`, text), 201);
  await later(page, "Para cancelar também", /^Amanhã/);
  await page.getByRole("button", { name: "Cancelar todas" }).click();
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
  await page.getByRole("dialog").getByRole("button", { name: "Não enviar" }).click();
  await waiting(page, "Abrimos às 10").waitFor({ state: "detached" });
  expect((await shop.owner.call("GET", `/connections/${shop.id}/waiting`)).body.data).toMatchObject([{ chat_id: other }]);
  await ok(shop.owner.call("DELETE", `/connections/${shop.id}/waiting`, { chat_id: null }));

  // While the number is disconnected, a message can wait for the connection.
  await field(page).fill("Já volto");
  await ok(shop.owner.call("POST", `/connections/${shop.id}/disconnect`, {}));
  await page.getByRole("status").filter({ hasText: "Número desconectado" }).waitFor();
  await page.getByRole("button", { name: "Enviar mais tarde" }).click();
  await page.getByRole("menuitem", { name: "Quando o número se conectar" }).click();
  await waiting(page, "Já volto").getByText("Aguardando o número se conectar").waitFor();

  // So can a file, in a chat opened while disconnected.
  await page.reload();
  await field(page).waitFor();
  await page.getByLabel("Documento").setInputFiles({ name: "menu.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n") });
  const dialog = page.getByRole("dialog", { name: "Enviar menu.pdf" });
  await dialog.getByLabel("Legenda").fill("Nosso cardápio");
  expect(await dialog.getByLabel("Quando").evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.label)).toBe(
    "Quando o número se conectar",
  );
  await dialog.getByLabel("Quando").selectOption("Escolher horário");
  await dialog.getByLabel("Data e hora").fill(inDays(2));
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
  await dialog.getByLabel("Quando").selectOption("Quando o número se conectar");
  await dialog.getByRole("button", { name: "Agendar" }).click();
  await waiting(page, "Nosso cardápio").getByText("Aguardando o número se conectar").waitFor();
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);

  // The list of the connection's waiting messages.
  await page.goto(`/connections/${shop.id}/chats`);
  await page.getByRole("link", { name: "Fila de envio" }).click();
  await page.getByRole("listitem").filter({ hasText: "Já volto" }).getByRole("link", { name: "Ana" }).waitFor();
  await page.getByRole("listitem").filter({ hasText: "Nosso cardápio" }).waitFor();
  // A complete list has no footer.
  expect(await page.getByText("na tela").count()).toBe(0);
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);

  await ok(shop.owner.call("POST", `/connections/${shop.id}/connect`, {}));
  await page.getByRole("listitem").filter({ hasText: "Já volto" }).waitFor({ state: "detached" });
  const received = async () => (await network.inbox(ANA)).map(({ type, text }) => `${type} ${text}`).toSorted();
  await expect.poll(received, { timeout: 60_000 }).toEqual(["document Nosso cardápio", "text Já volto", "text Vocês abrem amanhã?"]);
});

/** In the browser's time zone. */
function inDays(days: number): string {
  const day = new Date(Date.now() + days * DAY_MS).toLocaleDateString("sv", { timeZone: NOON_ZONE });
  return `${day}T10:30`;
}
