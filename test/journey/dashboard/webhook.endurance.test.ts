// The webhook card of the integrations page. Slow changes (failing, being disabled, a release with new events) are written to the stored
// rows while the sandbox is down.
import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { CONNECTION_EVENTS, DEFAULT_CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import { freePort } from "#root/server/ports.ts";
import { openBrowser } from "../../support/browser.ts";
import { person } from "../../support/clients.ts";
import { goBackInVain } from "../../support/dashboard/back.ts";
import { Dashboard } from "../../support/dashboard/dashboard.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const WITHIN_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The label, including the icon before it. */
const ACCEPTED = /^\W*Aceito$/;

let sandbox: Sandbox;
let browser: Browser;
let dashboard: Dashboard;
let receiver: Receiver;

beforeAll(async () => {
  [sandbox, browser, receiver] = await Promise.all([startSandbox(["--no-limits"]), openBrowser(), Receiver.start()]);
  dashboard = new Dashboard(sandbox, browser);
});
afterEach(async () => {
  receiver.reply = (_received, response) => response.writeHead(200).end("obrigado");
  await dashboard.closeVisits();
});
afterAll(async () => {
  await browser.close();
  await sandbox.dispose();
  await receiver.stop();
});

const call = async (method: string, path: string, json?: unknown) =>
  (await person(sandbox.ready())).call(method, `/connections${path}`, json);

async function connection(name: string): Promise<number> {
  return (await ok(call("POST", "", { name }), 201)).data.id as number;
}

const open = async (id: number, options: Parameters<Dashboard["visit"]>[1] = {}) => {
  const visit = await dashboard.visit(`/connections/${id}/integrations`, options);
  await visit.page.getByRole("heading", { name: "Webhook", exact: true }).waitFor();
  return visit;
};

/** Unfolds the events, which are folded unless there are new ones. */
const unfold = (page: Page) => page.getByText(/^Eventos \(\d+ de \d+\)$/).click();

const ticks = (page: Page) => page.getByRole("group", { name: "Eventos" });
const tick = (page: Page, type: string) =>
  ticks(page).getByRole("checkbox", { name: new RegExp(`^${type.replaceAll(".", "\\.")}( novo)?$`) });
async function ticked(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const type of CONNECTION_EVENTS) if (await tick(page, type).isChecked()) found.push(type);
  return found;
}

it("a new webhook ticks every event but presence, and webhook.test is not offered", async () => {
  const id = await connection("Novo");
  const { page } = await open(id);
  await page.getByRole("button", { name: "Criar webhook" }).waitFor();
  await unfold(page);
  expect(await ticked(page)).toEqual(DEFAULT_CONNECTION_EVENTS);
  expect(await page.getByText("webhook.test").count()).toBe(0);
  const url = page.getByLabel("URL de destino");
  for (const [wrong, words] of [
    ["http://example.com/hook", "A URL precisa começar com https://"],
    ["https://192.168.0.9/hook", "Este endereço é local ou interno"],
    ["https://ana:1234@example.com/", "Tire o usuário e a senha da URL"],
  ] as const) {
    await url.fill(wrong);
    await page.getByText(words).waitFor();
  }
  await page.getByRole("button", { name: "Criar webhook" }).click();
  // The error replaces the check, so the page says once what is wrong.
  await page.locator("#webhook input[aria-invalid=true]").waitFor();
  expect(await page.getByText("Tire o usuário e a senha da URL").count()).toBe(1);
  expect((await ok(call("GET", `/${id}/webhook`))).data).toBeNull();
  await url.fill(receiver.url);
  await page.getByRole("button", { name: "Criar webhook" }).click();
  await page.getByRole("button", { name: "Já guardei" }).click();
  expect((await ok(call("GET", `/${id}/webhook`))).data).toMatchObject({ url: receiver.url, events: DEFAULT_CONNECTION_EVENTS });
});

it("other events are another change, also if the answer to the first one was lost", async () => {
  const id = await connection("Sem resposta");
  const { page, trouble } = await open(id);
  trouble.expect(/ERR_FAILED/);
  const keys: (string | undefined)[] = [];
  await page.route(`**/connections/${id}/webhook`, async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    keys.push(route.request().headers()["idempotency-key"]);
    return keys.length > 1 ? route.continue() : route.abort();
  });
  await page.getByLabel("URL de destino").fill(receiver.url);
  await page.getByRole("button", { name: "Criar webhook" }).click();
  await page.getByText("O servidor não está respondendo.").waitFor();
  await unfold(page);
  await tick(page, "presence").check();
  await page.getByRole("button", { name: "Criar webhook" }).click();
  await page.getByRole("button", { name: "Já guardei" }).click();
  expect(new Set(keys).size).toBe(2);
});

it("a secret is shown once, at creation and at each rotation, and the previous one still signs along", async () => {
  const id = await connection("Segredo");
  const { page } = await dashboard.visit(`/connections/${id}`);
  await page.getByRole("link", { name: "Integrações" }).first().click();
  await page.getByLabel("URL de destino").fill(receiver.url);
  await page.getByRole("button", { name: "Criar webhook" }).click();
  const secret = page.locator("[data-secret]");
  const stored = async () => {
    const value = await secret.innerText();
    expect(value).toMatch(/^whsec_.{44}$/);
    await page.keyboard.press("Escape");
    await page.mouse.click(4, 4);
    await goBackInVain(page);
    expect(await secret.innerText()).toBe(value);
    await page.getByRole("button", { name: "Já guardei" }).click();
    await secret.waitFor({ state: "detached" });
    return value;
  };
  const first = await stored();
  await page.getByRole("button", { name: "Trocar chave secreta" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Trocar", exact: true }).click();
  const second = await stored();
  expect(second).not.toBe(first);
  await page.getByText("A chave secreta anterior continua válida por mais 1 dia.").waitFor();
  await page.getByRole("button", { name: "Enviar teste" }).click();
  await page.getByText("O que enviamos").click();
  await page.getByText(/webhook-signature: v1,\S{44} v1,\S{44}/).waitFor();
  await page.reload();
  await page.getByText("A chave secreta anterior continua válida por").waitFor();
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href]));
  for (const value of [first, second]) {
    expect((await page.content()) + kept).not.toContain(value.slice(6));
    expect(sandbox.logs()).not.toContain(value.slice(6));
  }
});

it("a test shows status, time and what was exchanged, and explains refusals in words", async () => {
  const id = await connection("Teste");
  await ok(call("PUT", `/${id}/webhook`, { url: receiver.url }), 201);
  const { page } = await open(id);
  const result = page.getByRole("region", { name: "Resultado do teste" });
  const test = async () => {
    await page.getByRole("button", { name: "Enviar teste" }).click();
    await result.getByText(/\d ms/).waitFor({ timeout: WITHIN_MS });
  };
  receiver.reply = (_received, response) => response.writeHead(201, { "x-mine": "yes" }).end("obrigado");
  await test();
  await result.getByText(ACCEPTED).waitFor();
  await result.getByText("HTTP 201", { exact: true }).waitFor();
  await result.getByText("Resposta do destino").click();
  await result.getByText(/x-mine: yes[^]*obrigado/).waitFor();
  await result.getByText("O que enviamos").click();
  await result.getByText(/webhook-id: msg_[^]*"type":"webhook.test"/).waitFor();
  receiver.reply = (_received, response) => response.writeHead(302, { location: "https://example.com/" }).end();
  await test();
  await result.getByText("o gateway não segue redirecionamentos. Use a URL final.").waitFor();
  receiver.reply = (_received, response) => response.writeHead(500).end();
  await test();
  await result.getByText("A entrega só é aceita com uma resposta de sucesso").waitFor();
  await result.getByText("HTTP 500", { exact: true }).waitFor();
  receiver.reply = () => undefined;
  await test();
  await result.getByText("Sem resposta em 10 segundos.").waitFor();
  // Nothing listens at this address.
  await ok(call("PUT", `/${id}/webhook`, { url: `http://127.0.0.1:${await freePort(0)}/hook` }));
  await page.reload();
  await test();
  await result.getByText("Confira o DNS, o certificado TLS").waitFor();
});

it("a group's tick is mixed when some of its events are ticked, and ticks are native", async () => {
  const id = await connection("Grupos");
  await ok(call("PUT", `/${id}/webhook`, { url: receiver.url, events: ["message.received", "label.updated"] }), 201);
  const { page } = await open(id);
  await unfold(page);
  const group = (name: string) => ticks(page).getByRole("checkbox", { name: new RegExp(`^${name} \\(`) });
  const state = (name: string) =>
    group(name).evaluate((input: HTMLInputElement) => [input.tagName, input.type, input.checked, input.indeterminate]);
  expect(await state("Mensagens")).toEqual(["INPUT", "checkbox", false, true]);
  expect(await state("Grupos")).toEqual(["INPUT", "checkbox", false, false]);
  await group("Mensagens").click();
  expect(await state("Mensagens")).toEqual(["INPUT", "checkbox", true, false]);
  await tick(page, "poll.vote").click();
  expect(await state("Mensagens")).toEqual(["INPUT", "checkbox", false, true]);
  await group("Etiquetas").click();
  await group("Etiquetas").click();
  expect(await state("Etiquetas")).toEqual(["INPUT", "checkbox", false, false]);
  await page.getByRole("button", { name: "Salvar" }).click();
  await page.getByText("Webhook salvo.").first().waitFor();
  expect((await ok(call("GET", `/${id}/webhook`))).data.events).toEqual(await ticked(page));
  await group("Mensagens").click();
  await group("Mensagens").click();
  await page.getByRole("button", { name: "Salvar" }).click();
  await page.getByText("Marque pelo menos um evento.").waitFor();
});

it("a webhook made by the API is shown the same, to a guest too, who cannot change it", async () => {
  const id = await connection("Por API");
  await ok(call("PUT", `/${id}/webhook`, { url: receiver.url, events: ["call", "presence"] }), 201);
  const { page } = await open(id);
  expect(await page.getByLabel("URL de destino").inputValue()).toBe(receiver.url);
  await unfold(page);
  expect(await ticked(page)).toEqual(["call", "presence"]);
  // A program changes the webhook in the meantime; the page shows the change on return.
  await ok(call("PUT", `/${id}/webhook`, { url: receiver.url, events: ["call"] }));
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect.poll(() => ticked(page)).toEqual(["call"]);
  const guest = await dashboard.newUser(`convidada-${crypto.randomUUID()}@example.com`);
  await ok(call("POST", `/${id}/shares`, { email: guest, role: "operator" }), 201);
  const { page: guests } = await open(id, { as: guest });
  await guests.getByRole("button", { name: "Enviar teste" }).waitFor();
  await unfold(guests);
  expect(await ticked(guests)).toEqual(["call"]);
  expect(await tick(guests, "call").isDisabled()).toBe(true);
  for (const name of ["Enviar teste", "Trocar chave secreta", "Apagar", "Salvar"]) {
    const button = guests.getByRole("button", { name, exact: true });
    expect([name, await button.getAttribute("aria-disabled")]).toEqual([name, "true"]);
    expect(await guests.locator(`[id="${await button.getAttribute("aria-describedby")}"]`).textContent()).toContain("Só o dono");
  }
  const colorOf = (name: string) => page.getByRole("button", { name }).evaluate((button) => getComputedStyle(button).color);
  expect(await colorOf("Apagar")).not.toBe(await colorOf("Enviar teste"));
  await page.getByRole("button", { name: "Apagar" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apagar webhook" }).click();
  await page.getByText("Nenhum webhook ainda.").waitFor();
  expect((await ok(call("GET", `/${id}/webhook`))).data).toBeNull();
});

/** Runs the statement in the object whose webhook has this URL. */
function rewrite(url: string, statement: string, ...values: (string | number)[]): void {
  const changed = globSync(join(sandbox.directory, "worker/do/gateway-Connection/*.sqlite")).map((file) => {
    const database = new DatabaseSync(file);
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'endpoint'").all();
    const rows = tables.length === 0 ? 0 : database.prepare(`UPDATE endpoint SET ${statement} WHERE url = ?`).run(...values, url).changes;
    database.close();
    return Number(rows);
  });
  expect(changed.reduce((sum, rows) => sum + rows, 0)).toBe(1);
}

it("a failing webhook says when it is disabled, and reactivates only after a test; new event types are unticked", async () => {
  const [failing, disabled] = [await connection("Falhando"), await connection("Desligado")];
  const urls = { failing: `${receiver.url}?failing`, disabled: `${receiver.url}?disabled` };
  await ok(call("PUT", `/${failing}/webhook`, { url: urls.failing }), 201);
  await ok(call("PUT", `/${disabled}/webhook`, { url: urls.disabled }), 201);
  await sandbox.stop();
  const now = Date.now();
  const older = DEFAULT_CONNECTION_EVENTS.filter((type) => type !== "call");
  // Half an hour beyond the remaining 31, because the sandbox needs time to start.
  const [since, until] = [now - 40.5 * HOUR_MS, now - HOUR_MS];
  rewrite(
    urls.failing,
    "first_failed_at = ?, last_failed_at = ?, events = ?, offered = ?",
    since,
    until,
    JSON.stringify(older),
    JSON.stringify([...older, "presence"]),
  );
  rewrite(urls.disabled, "disabled_at = ?, first_failed_at = ?, last_failed_at = ?", until, now - 73 * HOUR_MS, until);
  await sandbox.start();

  const { page } = await open(failing);
  await page.getByText("Se continuar assim, o webhook será desativado em 1 dia e 7 horas.").waitFor();
  expect(await tick(page, "call").isChecked()).toBe(false);
  // `presence` was already available, so it is not new.
  expect(await ticks(page).getByText("novo", { exact: true }).count()).toBe(1);
  await tick(page, "call").click();
  await page.getByRole("button", { name: "Salvar" }).click();
  await page.getByText("Webhook salvo.").first().waitFor();
  await expect.poll(() => ticks(page).getByText("novo", { exact: true }).count()).toBe(0);
  expect((await ok(call("GET", `/${failing}/webhook`))).data.events).toEqual(DEFAULT_CONNECTION_EVENTS);

  const { page: other } = await open(disabled);
  await other.getByText("Nenhuma entrega foi aceita em 72 horas").waitFor();
  const reactivate = other.getByRole("button", { name: "Reativar" });
  expect(await reactivate.getAttribute("aria-disabled")).toBe("true");
  receiver.reply = (_received, response) => response.writeHead(500).end();
  await other.getByRole("button", { name: "Enviar teste" }).click();
  await other.getByText("Não foi aceito").waitFor();
  expect(await reactivate.getAttribute("aria-disabled")).toBe("true");
  receiver.reply = (_received, response) => response.writeHead(200).end();
  await other.getByRole("button", { name: "Enviar teste" }).click();
  await other.getByText(ACCEPTED).waitFor();
  await expect.poll(() => reactivate.getAttribute("aria-disabled")).toBeNull();
  await reactivate.click();
  await other.getByText("Webhook reativado.").first().waitFor();
  await other.getByText(/^\W*ativo$/).waitFor();
  expect((await ok(call("GET", `/${disabled}/webhook`))).data.status).toBe("active");
});
