// A Cloud API number in a real browser: created from its credentials, inspected, given a new token; unsupported features are not offered.
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { ask, phones } from "#root/test/support/clients.ts";
import { axeViolations, sidewaysScroll } from "#root/test/support/dashboard/axe.ts";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";
import { freshPhone } from "#root/test/support/paired-connection.ts";

const dashboard = useDashboard();
const CONTACT = "5511900000822";

type Credentials = { phone_number_id: string; waba_id: string; access_token: string; app_secret: string };

const control = async (method: string, path: string, json?: object) => {
  const { status, body } = await ask(`${dashboard().ready.network_url ?? ""}/cloud${path}`, {
    method,
    ...(json === undefined ? {} : { json }),
  });
  expect(status, `${path}: ${JSON.stringify(body)}`).toBeLessThan(300);
  return body;
};
const newNumber = async (phone: string) => (await control("POST", "/numbers", { phone, name: "Loja da Nuvem" })) as Credentials;

beforeAll(async () => {
  await phones(dashboard().ready).create(CONTACT, "Cliente");
});

async function fillIn(page: Page, { phone_number_id, waba_id, access_token, app_secret }: Credentials) {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Tipo").selectOption("Cloud API da Meta");
  await dialog.getByLabel("ID do número", { exact: false }).fill(phone_number_id);
  await dialog.getByLabel("ID da conta comercial", { exact: false }).fill(waba_id);
  await dialog.getByLabel("Token de acesso", { exact: true }).fill(access_token);
  await dialog.getByLabel("Chave secreta do app", { exact: false }).fill(app_secret);
}

async function made() {
  const phone = freshPhone();
  const email = await dashboard().newUser(`dona-${crypto.randomUUID()}@example.com`);
  const visit = await dashboard().visit("/connections?new=true", { as: email });
  const { page } = visit;
  const number = await newNumber(phone);
  await page.getByLabel("Nome da conexão").fill("Nuvem");
  return { ...visit, number, phone };
}

it("the dashboard makes a number of the Cloud API from its credentials, and says which ones Meta refuses", async () => {
  const { page, trouble, number } = await made();
  const dialog = page.getByRole("dialog");
  trouble.expect(/400/);
  await fillIn(page, { ...number, access_token: "not-a-token" });
  await dialog.getByRole("button", { name: "Criar e conectar" }).click();
  await dialog.getByText("A Meta não liberou o acesso ao número.", { exact: false }).waitFor();
  await dialog.getByText("Código da Meta: 190.").waitFor();
  expect(await dialog.getByLabel("Token de acesso", { exact: true }).inputValue()).toBe("not-a-token");
  await dialog.getByLabel("Token de acesso", { exact: true }).fill(number.access_token);
  await dialog.getByRole("button", { name: "Criar e conectar" }).click();
  await page.getByRole("heading", { level: 1, name: "Nuvem" }).waitFor();
  await page.getByText("conectada").first().waitFor();
  const facts = page.getByRole("region", { name: "Número da Cloud API" });
  await facts.getByText(number.phone_number_id).waitFor();
  await facts.getByText(number.waba_id).waitFor();
  await facts.getByText(`termina em ${number.access_token.slice(-4)}`).waitFor();
  await page.getByText("Qualidade segundo a Meta").waitFor();
  // The page has no pairing controls.
  expect(await page.getByRole("button", { name: "Parear" }).count()).toBe(0);
  await page.getByRole("button", { name: "Mais ações" }).click();
  expect(await page.getByRole("menuitem", { name: "Encerrar sessão" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  expect(await page.content()).not.toContain(number.app_secret);
});

it("a Cloud API number lacks what its kind lacks: settings, polls, edits, and the check of a new number", async () => {
  const { page, number, phone } = await made();
  await fillIn(page, number);
  await page.getByRole("dialog").getByRole("button", { name: "Criar e conectar" }).click();
  await page.getByRole("heading", { level: 1, name: "Nuvem" }).waitFor();
  const overview = page.url();
  await page.goto(`${overview}/settings`);
  await page.getByLabel("Recusar ligações").waitFor();
  for (const label of ["Nome do dispositivo", "Aparecer sempre online"])
    expect(await page.getByLabel(label, { exact: false }).count(), label).toBe(0);
  await page.getByLabel("Recusar ligações").check();
  await page.getByRole("button", { name: "Salvar ajustes" }).click();
  await page.getByText("Ajustes salvos.").first().waitFor();
  // The contact's first message opens the window for sending texts.
  await phones(dashboard().ready).send(CONTACT, { to: phone, text: "Oi, nuvem" });
  await page.goto(`${overview}/chats/${CONTACT}@c.us`);
  await page.getByRole("article").getByText("Oi, nuvem").waitFor();
  await page.getByRole("textbox", { name: "Escreva uma mensagem" }).fill("Olá da nuvem");
  await page.getByRole("button", { name: "Enviar", exact: true }).click();
  const own = page.getByRole("article").filter({ hasText: "Olá da nuvem" });
  await own.locator('[data-status="delivered"], [data-status="read"]').waitFor();
  await expect.poll(() => own.count()).toBe(1);
  await own.getByRole("button").click();
  await page.getByRole("menuitem", { name: "Responder" }).waitFor();
  for (const name of ["Editar", "Apagar para todos"])
    expect(await page.getByRole("menuitem", { name, exact: false }).count(), name).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Anexar" }).click();
  await page.getByRole("menuitem", { name: "Localização" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Enquete" }).count()).toBe(0);
});

it("a number says that its token was refused, takes a new one, and shows the refusal of a text outside the window", async () => {
  const { page, trouble, number } = await made();
  await fillIn(page, number);
  await page.getByRole("dialog").getByRole("button", { name: "Criar e conectar" }).click();
  await page.getByText("conectada").first().waitFor();
  const overview = page.url();
  trouble.expect(/400|409|422|502/);
  await page.goto(`${overview}/chats/${CONTACT}@c.us`);
  await page.getByRole("textbox", { name: "Escreva uma mensagem" }).fill("Fora da janela");
  await page.getByRole("button", { name: "Enviar", exact: true }).click();
  await page.getByText("Esta pessoa não escreveu nas últimas 24 horas.", { exact: false }).first().waitFor();
  await expect.poll(() => page.getByRole("article").filter({ hasText: "Fora da janela" }).count()).toBe(1);
  const { access_token: fresh } = (await control("POST", `/numbers/${number.phone_number_id}/tokens`)) as { access_token: string };
  await control("DELETE", `/numbers/${number.phone_number_id}/tokens/${number.access_token.slice(-4)}`);
  await page.goto(overview);
  await page.getByRole("button", { name: "Mais ações" }).click();
  await page.getByRole("menuitem", { name: "Reiniciar" }).click();
  await page.getByText("A Meta recusou o token desta conexão", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Trocar token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Token de acesso", { exact: true }).fill(fresh);
  await dialog.getByLabel("Chave secreta do app", { exact: false }).fill(number.app_secret);
  await dialog.getByRole("button", { name: "Verificar e salvar" }).click();
  await page.getByText(`termina em ${fresh.slice(-4)}`).waitFor();
  await page.getByText("conectada").first().waitFor();
  expect(await page.content()).not.toContain(fresh);
});

it("a Cloud API number is as usable on a phone, with a keyboard and for a screen reader, in both languages", async () => {
  for (const language of ["pt", "en"] as const) {
    const { page } = await dashboard().visit("/connections?new=true", { phone: true, language });
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(language === "pt" ? "Tipo" : "Type").selectOption("cloud_api");
    await dialog.getByLabel(language === "pt" ? "Token de acesso" : "Access token", { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
  }
});
