// The API card of the integrations page: a connection's keys.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { ask, customer, person, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { goBackInVain } from "../../support/dashboard/back.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { Cli } from "../../support/kit/cli.ts";
import { administrator } from "../../support/invited-user.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";

const WITHIN_MS = 60_000;
const CONTACT = "5511900000002";
const run = promisify(execFile);

const dashboard = useDashboard();
let shop: PairedConnection;
let path: string;
beforeAll(async () => {
  shop = await pairConnection(dashboard().ready, "5511900000391", { name: "Loja" });
  path = `/connections/${shop.id}/integrations`;
});

const keys = async () => (await shop.owner.call("GET", `/connections/${shop.id}/keys`)).body.data as { id: string; name: string }[];
const makeKey = async (name: string) => (await shop.owner.call("POST", `/connections/${shop.id}/keys`, { name })).body.data.key as string;
async function revokeAllBut(name: string): Promise<void> {
  for (const key of await keys()) if (key.name !== name) await ok(shop.owner.call("DELETE", `/connections/${shop.id}/keys/${key.id}`));
}

/** Creates a key through the page and returns its value while it is visible. */
async function generate(page: Page, name: string, language: "pt" | "en" = "pt"): Promise<string> {
  const words = { pt: ["Gerar chave", "Nome da chave"], en: ["Create a key", "Key name"] }[language] as [string, string];
  await page.getByRole("button", { name: words[0] }).click();
  await page.getByLabel(words[1]).fill(name);
  await page.getByRole("dialog").getByRole("button", { name: words[0] }).click();
  return page.locator("[data-secret]").innerText();
}

it("a key's value is in the page once, and afterwards in no DOM, storage, address, cache or log", async () => {
  await revokeAllBut("test");
  const { page, context } = await dashboard().visit(path);
  const key = await generate(page, "ERP");
  expect(key).toMatch(/^svc_\w{60}$/);
  await page.getByRole("button", { name: "Já guardei" }).click();
  const places = () =>
    page.evaluate(async () => {
      const names = await caches.keys();
      const fields = [...document.querySelectorAll<HTMLInputElement>("input, textarea")].map(({ value }) => value);
      const databases = (await indexedDB.databases()).map(({ name }) => name);
      const stored = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]);
      return [document.documentElement.outerHTML, ...fields, stored, location.href, names.join(), databases.join()].join("\n");
    });
  // The prefix may stay visible; the rest may not.
  const hidden = key.slice(16);
  await page.getByText("ERP", { exact: true }).waitFor();
  expect(await places()).not.toContain(hidden);
  await page.reload();
  await page.getByText("ERP", { exact: true }).waitFor();
  expect(await places()).toContain(key.slice(0, 12));
  expect(await places()).not.toContain(hidden);
  expect(JSON.stringify(await context.cookies())).not.toContain(hidden);
  expect((await customer(dashboard().ready, key).get("/instance")).status).toBe(200);
  expect(dashboard().logs()).not.toContain(hidden);
});

it("Escape, a click outside and Back do not close the dialog of a new key, in both languages", async () => {
  for (const language of ["pt", "en"] as const) {
    await revokeAllBut("test");
    const { page } = await dashboard().visit(`/connections/${shop.id}`, { language });
    await page
      .getByRole("link", { name: language === "pt" ? "Integrações" : "Integrations" })
      .first()
      .click();
    const key = await generate(page, "Once", language);
    const secret = page.locator("[data-secret]");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.mouse.click(4, 4);
    await goBackInVain(page);
    await page.keyboard.press("Escape");
    expect(await secret.isVisible()).toBe(true);
    expect(await secret.innerText()).toBe(key);
    await page.getByRole("button", { name: language === "pt" ? "Já guardei" : "I've saved it" }).click();
    await secret.waitFor({ state: "detached" });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe(language === "pt" ? "Gerar chave" : "Create a key");
  }
});

it("the new key's dialog ignores a close request made just as it opens", async () => {
  await revokeAllBut("test");
  const { page } = await dashboard().visit(path);
  await page.evaluate(() => {
    const { showModal } = HTMLDialogElement.prototype;
    HTMLDialogElement.prototype.showModal = function open() {
      showModal.call(this);
      if (this.querySelector("[data-secret]") !== null) this.requestClose();
    };
  });
  await generate(page, "Once");
  // A closed dialog still contains its text.
  expect(await page.locator("[data-secret]").isVisible()).toBe(true);
  await page.getByRole("button", { name: "Já guardei" }).click();
});

it("the shown curl command sends when run as shown, and so does the Node code", async () => {
  await revokeAllBut("test");
  const { page } = await dashboard().visit(path);
  await generate(page, "Primeira");
  await page.getByLabel("Número de destino").fill("+55 11 90000-0002");
  const code = page
    .getByRole("tabpanel")
    .filter({ has: page.getByText("X-Api-Key") })
    .locator("pre");
  const inbox = async () => (await phones(dashboard().ready).inbox(CONTACT)).filter(({ from }) => from === shop.phone).length;
  const before = await inbox();
  await run("bash", ["-c", await code.innerText()]);
  await eventually("the message of curl", WITHIN_MS, async () => (await inbox()) === before + 1);
  await page.getByRole("tab", { name: "Node" }).first().click();
  await run(process.execPath, ["--input-type=module", "--eval", await code.innerText()]);
  await eventually("the message of Node", WITHIN_MS, async () => (await inbox()) === before + 2);
  await page.getByRole("button", { name: "Já guardei" }).click();
  await page
    .getByRole("listitem")
    .filter({ hasText: "Primeira" })
    .getByText(/^usada/)
    .waitFor();
});

it("a fourth key cannot be created, and an outdated page explains the refusal", async () => {
  await revokeAllBut("test");
  await makeKey("Segunda");
  const { page, trouble } = await dashboard().visit(path);
  const button = page.getByRole("button", { name: "Gerar chave" });
  await button.click();
  await makeKey("Terceira");
  trouble.expect(/409/);
  await page.getByLabel("Nome da chave").fill("Quarta");
  await page.getByRole("dialog").getByRole("button", { name: "Gerar chave" }).click();
  await page.getByRole("dialog").getByText("Você chegou ao limite de chaves").waitFor();
  expect(await page.getByLabel("Nome da chave").inputValue()).toBe("Quarta");
  await page.getByRole("button", { name: "Cancelar" }).click();
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
  await button.press("Enter");
  expect(await page.getByLabel("Nome da chave").count()).toBe(0);
  await page.goto(`${path}?add=key`);
  await page.getByRole("dialog").getByText("Esta conexão já tem 3 chaves, que é o máximo.").waitFor();
  expect(await page.getByLabel("Nome da chave").count()).toBe(0);
  expect(await keys()).toHaveLength(3);
});

it("a revoked key gets 401 on its next call, and a second tab shows the revocation when it comes to the front", async () => {
  await revokeAllBut("test");
  const key = await makeKey("Antiga");
  const api = customer(dashboard().ready, key);
  expect((await api.get("/instance")).status).toBe(200);
  const first = await dashboard().visit(path);
  const second = await first.context.newPage();
  await second.goto(path);
  await second.getByText("Antiga", { exact: true }).waitFor();
  const { page } = first;
  await page.getByRole("button", { name: "Revogar a chave Antiga" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^Esta chave foi usada (há|agora)/).waitFor();
  const confirm = dialog.getByRole("button", { name: "Revogar chave" });
  await dialog.getByLabel("Para confirmar, digite Antiga").fill("Outra");
  await confirm.click();
  await dialog.getByText("O texto não é igual a Antiga.").waitFor();
  expect((await api.get("/instance")).status).toBe(200);
  await dialog.getByLabel("Para confirmar, digite Antiga").fill("Antiga");
  await confirm.click();
  await dialog.waitFor({ state: "detached" });
  expect((await api.get("/instance")).body.error.codigo).toBe("chave_invalida");
  await second.bringToFront();
  // A browser sends this event when its window comes to the front; headless browsers do not.
  await second.evaluate(() => window.dispatchEvent(new Event("focus")));
  await second.getByText("Antiga", { exact: true }).waitFor({ state: "detached" });
  await second.close();
});

it("guests see no key prefix, request none, and are told why", async () => {
  const guest = await dashboard().newUser(`convidada-${crypto.randomUUID()}@example.com`);
  await ok(shop.owner.call("POST", `/connections/${shop.id}/shares`, { email: guest, role: "operator" }), 201);
  const { page } = await dashboard().visit(null, { as: guest });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(path);
  await page.getByText("Só o dono vê e gera chaves").waitFor();
  await page.getByText("Quem tem uma chave usa o número").waitFor();
  await page.getByRole("heading", { name: "Conferir uma entrega" }).waitFor();
  expect(await page.content()).not.toContain("svc_");
  expect(asked.filter((url) => url.includes("/keys"))).toEqual([]);
  const refused = await page.evaluate(async (url) => (await fetch(url)).status, `/api/dashboard/connections/${shop.id}/webhook`);
  expect(refused).toBe(200);
  const { token } = await person(dashboard().ready, guest);
  const answer = await ask(`${dashboard().url}/api/dashboard/connections/${shop.id}/keys`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([answer.status, answer.body.error.code]).toEqual([403, "forbidden"]);
});

it("a key is rotated in three steps without downtime, which can be resumed later", async () => {
  await revokeAllBut("test");
  const assistant = { confirm: "always", recipients: "any", call_operation: false };
  const limits = { scopes: ["read", "send"], assistant };
  const { key: old } = (await ok(shop.owner.call("POST", `/connections/${shop.id}/keys`, { name: "Sistema", ...limits }), 201)).data as {
    key: string;
  };
  await customer(dashboard().ready, old).get("/instance");
  const { page } = await dashboard().visit(path);
  await page.getByRole("button", { name: "Trocar a chave Sistema" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Gerar chave" }).click();
  const fresh = await page.locator("[data-secret]").innerText();
  await page.getByRole("button", { name: "Já guardei" }).click();
  const dialog = page.getByRole("dialog", { name: "Trocar “Sistema” sem interrupção" });
  await dialog.getByText("A chave nova ainda não foi usada.").waitFor();
  await page.reload();
  await dialog.getByText("A chave nova ainda não foi usada.").waitFor();
  expect((await customer(dashboard().ready, old).get("/instance")).status).toBe(200);
  expect((await customer(dashboard().ready, fresh).get("/instance")).status).toBe(200);
  await dialog.getByRole("button", { name: "Conferir uso" }).click();
  await dialog.getByText("A chave nova está em uso").waitFor();
  await dialog.getByLabel("Para confirmar, digite Sistema").fill("Sistema");
  await dialog.getByRole("button", { name: "Revogar chave" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await customer(dashboard().ready, old).get("/instance")).status).toBe(401);
  expect((await customer(dashboard().ready, fresh).get("/instance")).status).toBe(200);
  const left = await keys();
  expect(left.map(({ name }) => name).toSorted()).toEqual(["Sistema (nova)", "test"]);
  expect(left.find(({ name }) => name !== "test")).toMatchObject(limits);
});

it("the first call is ready without keys, and the card says without a subscription what calls are answered", async () => {
  const { ready } = dashboard();
  const email = await dashboard().newUser(`sem-assinatura-${crypto.randomUUID()}@example.com`);
  const owner = await person(ready, email);
  const { id } = (await ok(owner.call("POST", "/connections", { name: "Nova" }), 201)).data as { id: number };
  const { page } = await dashboard().visit(`/connections/${id}/integrations`, { as: email });
  await page.getByText("Nenhuma chave ainda").waitFor();
  await page.getByText('-H "X-Api-Key: $API_KEY"').waitFor();
  expect(await page.getByText(/todas as requisições são recusadas/).count()).toBe(0);
  const admin = await administrator(ready);
  const { data: users } = await ok(admin("GET", `/admin/users?q=${encodeURIComponent(email)}`));
  const terms = { plan: "pro", status: "canceled", max_instances: 5, current_period_end: null, reason: "unpaid" };
  await ok(
    admin("PUT", `/admin/users/${(users as { id: string; email: string }[]).find((user) => user.email === email)?.id}/subscription`, terms),
  );
  await page.reload();
  await page.getByText(/todas as requisições são recusadas/).waitFor();
  const key = await generate(page, "Parada");
  await page.getByRole("button", { name: "Já guardei" }).click();
  expect((await customer(ready, key).get("/instance")).status).toBe(402);
});

it("a key is limited to addresses and permissions, and its last refused address is shown", async () => {
  await revokeAllBut("test");
  const key = await makeKey("Loja física");
  const { page } = await dashboard().visit(path);
  const edit = page.getByRole("button", { name: "Limites da chave Loja física" });
  await edit.click();
  await page.getByLabel("Endereços IP permitidos").fill("203.0.113.0/33");
  await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
  await page.getByText("“203.0.113.0/33” não é um endereço IPv4 ou IPv6").waitFor();
  await page.getByLabel("Endereços IP permitidos").fill("203.0.113.0/24\n2001:db8::/48");
  await page.getByLabel("Enviar").uncheck();
  await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
  await page.getByText("IPs permitidos: 203.0.113.0/24, 2001:db8::/48").waitFor();
  expect((await customer(dashboard().ready, key).get("/instance")).status).toBe(401);
  await page.reload();
  await page.getByText(/requisição de .* recusada/).waitFor();
  await edit.click();
  expect(await page.getByLabel("Enviar").isChecked()).toBe(false);
});

it("a key limits what an assistant may do", async () => {
  await revokeAllBut("test");
  await makeKey("Assistente");
  const { page } = await dashboard().visit(path);
  const edit = page.getByRole("button", { name: "Limites da chave Assistente" });
  const save = page.getByRole("dialog").getByRole("button", { name: "Salvar" });
  await edit.click();
  await page.getByLabel("Exigir confirmação de uma pessoa").selectOption("new_chats");
  await page.getByLabel("Pode escrever para").selectOption("list");
  await page.getByLabel("Telefones e grupos").fill("ninguém");
  await save.click();
  await page.getByText("“ninguém” não é um telefone").waitFor();
  await page.getByLabel("Telefones e grupos").fill("+55 11 90000-0002\n120363041234567890@g.us");
  await save.click();
  await page.getByText("Os limites já valem").first().waitFor();
  const policy = { confirm: "new_chats", recipients: ["5511900000002", "120363041234567890@g.us"], call_operation: false };
  expect((await keys()).find(({ name }) => name === "Assistente")).toMatchObject({ assistant: policy });
  await edit.click();
  expect(await page.getByLabel("Telefones e grupos").inputValue()).toBe(policy.recipients.join("\n"));
  expect(await page.getByLabel("Exigir confirmação de uma pessoa").inputValue()).toBe("new_chats");
});

it("the command line gets a key that only the command can read", async () => {
  await revokeAllBut("test");
  const { ready } = dashboard();
  const folder = mkdtempSync(join(tmpdir(), "login-"));
  const cli = new Cli(folder, { GATEWAY_SANDBOX: "/nowhere", XDG_CONFIG_HOME: folder });
  const login = cli.start("login", "--url", ready.app_url);
  try {
    await login.shows("/command-line#");
    const [, code = "", address = ""] = /code (\S+):\n(\S+)/.exec(login.out) ?? [];
    const { page, context, trouble } = await dashboard().visit(address.slice(ready.app_url.length));
    await page.getByText(code, { exact: true }).waitFor();
    await page.locator("select[name=connection]").selectOption(String(shop.id));
    const returned = page.waitForRequest(/^http:\/\/127\.0\.0\.1:\d+\/\?state=/);
    await page.getByRole("button", { name: "Gerar chave" }).click();
    const back = (await returned).url();
    expect((await login.ended()).code, login.out).toBe(0);
    // The page navigates to the command's address, and requests nothing else from other origins.
    expect(trouble.found).toEqual([`asked for ${back}`]);
    trouble.expect(/^asked for http:\/\/127\.0\.0\.1:\d+\/\?state=/);

    const file = join(folder, "gateway", "login.json");
    const { api_key: key } = JSON.parse(readFileSync(file, "utf8")) as { api_key: string };
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await customer(ready, key).get("/instance")).status).toBe(200);
    expect((await keys()).map(({ name }) => name)).toContain(`CLI on ${hostname()}`);
    expect(back + login.out + JSON.stringify(await context.cookies()) + dashboard().logs()).not.toContain(key.slice(16));
    expect((await cli.run("whoami")).out).toContain("Loja");
  } finally {
    await login.kill();
    rmSync(folder, { recursive: true });
  }
});

it("a stranger's address gets no login of the command line", async () => {
  const { page } = await dashboard().visit("/command-line#port=80&state=short&key=AAAA&host=evil");
  await page.getByText("Abra esta página com o comando “gateway login”").waitFor();
  expect(await page.getByRole("button", { name: "Gerar chave" }).count()).toBe(0);
  await page.getByRole("link", { name: "Ir para as conexões" }).click();
  await page.waitForURL("**/connections");
});
