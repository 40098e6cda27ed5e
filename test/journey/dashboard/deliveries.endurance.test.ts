// The deliveries page: live deliveries to a receiver, and repairing a failing one.
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { verify } from "#root/dashboard/src/domain/verify.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { Dashboard, type WindowOptions } from "../../support/dashboard/dashboard.ts";
import { openBrowser } from "../../support/browser.ts";
import { person, phones } from "../../support/clients.ts";
import { type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const SHOP = "5511900000073";
const CONTACT = "5511900000074";
const DELIVERED_WITHIN_MS = 60_000;
/** The stored state of an abandoned delivery. */
const FAILED = 4;
const run = promisify(execFile);

let sandbox: Sandbox;
let dashboard: Dashboard;
let receiver: Receiver;
let shop: PairedConnection;
let secret: string;
let closeBrowser: () => Promise<void>;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startSandbox(["--no-limits"]), openBrowser()]);
  sandbox = started;
  closeBrowser = () => browser.close();
  dashboard = new Dashboard(sandbox, browser);
  receiver = await Receiver.start();
  shop = await pairConnection(sandbox.ready(), SHOP, { name: "Entregas" });
  await phones(sandbox.ready()).create(CONTACT, "Bia");
});
afterEach(() => dashboard.closeVisits());
afterAll(async () => {
  await closeBrowser();
  await sandbox.dispose();
  await receiver.stop();
});

const path = (rest = "") => `/connections/${shop.id}/deliveries${rest}`;
const open = (options: WindowOptions = {}) => dashboard.visit(path(), options);
const owner = (method: string, rest: string, json?: unknown) => shop.owner.call(method, `/connections/${shop.id}${rest}`, json);
const textOf = async (element: Locator) => (await element.innerText()).replaceAll(/\s+/g, " ");
const rowOf = (page: Page, id: string) => page.getByRole("row").filter({ has: page.locator(`a[href*="${id}"]`) });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("href") ?? document.activeElement?.tagName);

/** A contact writes to the number; returns the delivery's id. */
async function messageReceived(text: string): Promise<string> {
  await phones(sandbox.ready()).send(CONTACT, { to: SHOP, text });
  const { body } = await receiver.waitFor(text, DELIVERED_WITHIN_MS, ({ type, data }) => type === "message.received" && data.text === text);
  return (JSON.parse(body) as { id: string }).id;
}

it("a connection without a webhook explains that, and links to the webhook's setup", async () => {
  const { page } = await open();
  await page.getByText("Esta conexão ainda não tem webhook").waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.getByRole("link", { name: "Criar webhook" }).getAttribute("href")).toContain(`/connections/${shop.id}/integrations`);
  const made = await owner("PUT", "/webhook", { url: receiver.url, events: ["message.received"] });
  secret = made.body.data.secret as string;
  await page.reload();
  await page.getByText("Nenhuma entrega ainda").waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

it("the list shows event, status, code, attempts and next try; a new one slides in without moving the focus", async () => {
  receiver.reply = (_received, response) => response.writeHead(503).end("closed");
  const { page } = await open();
  // The page must be open before the first attempt: the second follows after 5 s.
  await page.getByText("Nenhuma entrega ainda").waitFor();
  const first = await messageReceived("primeira");
  const row = rowOf(page, first);
  await expect.poll(() => textOf(row)).toMatch(/^message\.received ◐ pendente 503 · recusada 1 (em \d+ segundos?|agora)/);
  const link = page.locator(`a[href*="${first}"]`);
  await link.focus();
  const second = await messageReceived("segunda");
  await rowOf(page, second).waitFor();
  expect(await focused(page)).toContain(first);
  expect(await page.getByRole("row").nth(1).locator(`a[href*="${second}"]`).count(), "the newest stands first").toBe(1);
  // The first retry is due after 5 s, and the page updates on its own.
  await row.getByText("em 4 minutos").or(row.getByText("em 5 minutos")).waitFor();
  expect(await textOf(row)).toMatch(/503 · recusada 2 em [45] minutos/);
  await page.getByText("As entregas estão falhando").waitFor();
});

it("a resend keeps the delivery's id, and says so", async () => {
  receiver.reply = (_received, response) => response.writeHead(200).end();
  const id = await messageReceived("outra vez");
  const { page } = await dashboard.visit(path(`/${id}`));
  const drawer = page.getByRole("dialog", { name: "message.received" });
  await drawer.getByText("● entregue").waitFor();
  await drawer.getByRole("button", { name: "Reenviar" }).click();
  await drawer.getByText("mesmo ID", { exact: true }).waitFor();
  await drawer.getByRole("row").filter({ hasText: "Tentativa 2" }).waitFor();
  expect(receiver.received.filter(({ headers }) => headers["webhook-id"] === id)).toHaveLength(2);
});

it("the drawer has an address, Back closes it, and the focus returns", async () => {
  const id = await messageReceived("endereço");
  const { page } = await dashboard.visit(path("?status=delivered"));
  const link = page.locator(`a[href*="${id}"]`);
  await link.focus();
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog");
  await drawer.getByText(id).first().waitFor();
  const { host, pathname } = new URL(receiver.url);
  await drawer.getByText(host + pathname, { exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe(path(`/${id}`));
  await page.goBack();
  await drawer.waitFor({ state: "hidden" });
  expect(page.url()).toMatch(/deliveries\?status=delivered$/);
  expect(await focused(page)).toContain(id);
  await page.keyboard.press("Enter");
  await drawer.waitFor();
  await page.reload();
  await drawer.getByText(id).first().waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "hidden" });
  await page.waitForURL(/deliveries\?status=delivered$/);
});

it("'reenviar falhas desde' empties the list of failed deliveries once the receiver works", async () => {
  receiver.reply = (_received, response) => response.writeHead(500).end();
  const ids = [await messageReceived("perdida 1"), await messageReceived("perdida 2")];
  await giveUp(ids);
  receiver.reply = (_received, response) => response.writeHead(200).end();
  const { page } = await dashboard.visit(path("?status=failed"));
  for (const id of ids) await rowOf(page, id).getByText("▲ falhou").waitFor();
  // A filter's name stands alone, and a status stands in a line.
  await page.getByText("Falhou", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Reenviar falhas desde…" }).click();
  const dialog = page.getByRole("dialog", { name: "Reenviar o que falhou" });
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole("combobox", { name: "Desde" }).selectOption({ label: "1 hora atrás" });
  await dialog.getByRole("button", { name: "Reenviar" }).click();
  await page.getByText("2 entregas serão reenviadas.").first().waitFor();
  await page.getByText("Nenhuma entrega com estes filtros").waitFor();
  await page.getByRole("group", { name: "Status" }).getByText("Entregue", { exact: true }).click();
  for (const id of ids) await rowOf(page, id).getByText("● entregue").waitFor();
});

/** Eight attempts take a day, so the result of the last one is written to storage while nothing runs. */
async function giveUp(ids: readonly string[]): Promise<void> {
  await sandbox.stop();
  const state = /starting in (\S+)/.exec(sandbox.output())?.[1] ?? "";
  const folder = join(state, "worker/do/gateway-Connection");
  let changed = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")) {
    const database = new DatabaseSync(join(folder, file));
    const statement = database.prepare(
      `UPDATE delivery SET state = ${FAILED}, failures = 8, attempts = 8, due_at = NULL WHERE id IN (SELECT value FROM json_each(?))`,
    );
    changed += Number(statement.run(JSON.stringify(ids)).changes);
    database.close();
  }
  expect(changed).toBe(ids.length);
  await sandbox.start();
  shop = { ...shop, owner: await person(sandbox.ready()) };
}

it("the signed curl command sends a delivery that verifies, when run as shown", async () => {
  const id = await messageReceived("it's signed: ação 🎉");
  const local = await Receiver.start();
  const { page } = await dashboard.visit(path(`/${id}`), { language: "en" });
  await page.getByRole("textbox", { name: "URL on your computer" }).fill(local.url);
  await page.getByRole("button", { name: "Create signed command" }).click();
  const command = await page.locator("pre", { hasText: "curl -X POST" }).innerText();
  await page.getByText(/Valid for \d+ s/).waitFor();
  await run("bash", ["-c", command]);
  const [arrived] = local.received;
  const headers = JSON.stringify(arrived?.headers);
  const body = arrived?.body ?? "";
  expect(await verify({ headers, body, secret }, Date.now())).toMatchObject({ verdict: "genuine" });
  expect(body).toBe(receiver.received.find((each) => each.headers["webhook-id"] === id)?.body);
  expect(await page.content(), "the secret stays where it is").not.toContain(secret.slice("whsec_".length));
  await local.stop();
});

it("a guest sees everything, with the reason for disabled actions", async () => {
  const guest = await dashboard.newUser(`leitora-${crypto.randomUUID()}@example.com`);
  expect((await owner("POST", "/shares", { email: guest, role: "viewer" })).status).toBeLessThan(300);
  const id = await messageReceived("para a leitora");
  const { page } = await dashboard.visit(path(`/${id}`), { as: guest });
  const resend = page.getByRole("dialog").getByRole("button", { name: "Reenviar" });
  await resend.waitFor();
  await page.getByRole("dialog").getByText("para a leitora").waitFor();
  // The role is known only after the connection has loaded.
  await expect.poll(() => resend.getAttribute("aria-disabled")).toBe("true");
  // By keyboard, because a forced click does not wait until the dialog has stopped moving.
  await resend.press("Enter");
  await page.getByRole("tooltip", { name: "Só o dono da conexão pode fazer isso." }).first().waitFor();
});

it.each([
  ["pt", "light", false],
  ["en", "dark", true],
] as const)("deliveries are accessible in %s, %s, on a phone: %s, as a list and with a delivery", async (language, theme, phone) => {
  const { page } = await open({ language, theme, phone });
  const links = page.getByRole("link", { name: "message.received" });
  await links.first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  if (phone) await page.setViewportSize({ width: 320, height: 700 });
  expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
  await links.first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("table").waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
});
