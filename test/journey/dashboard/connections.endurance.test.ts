// The list of connections in a real browser: network changes appear live, filters are in the URL, names sort naturally, and an
// unresponsive object costs only its own row.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ask, person, phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";
import { bestOfThree } from "../../support/promised-times.ts";
import { administrator } from "../../support/invited-user.ts";
import { freshPhone, pairConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";
import { promised } from "../../support/sandbox.ts";

const dashboard = useDashboard(["--no-limits"]);
/** Longer than any step here, even on a machine five times slower. */
const PATIENT_MS = 60_000;

/** A user with a subscription for five connections, whom no other test uses. */
const newcomer = (name: string) => dashboard().newUser(`${name}-${crypto.randomUUID()}@example.com`);

async function create(email: string, name: string): Promise<number> {
  const { call } = await person(dashboard().ready, email);
  return (await ok(call("POST", "/connections", { name }), 201)).data.id as number;
}

const row = (page: Page, name: string) => page.getByRole("listitem").filter({ has: page.getByRole("link", { name, exact: true }) });

/** Clicks a filter chip. */
const choose = (page: Page, group: string, chip: string) =>
  page
    .getByRole("group", { name: group })
    .locator("label", { hasText: new RegExp(`^\\s*${chip}$`) })
    .click();

/** Names in the list, top to bottom. */
async function shownNames(page: Page): Promise<string[]> {
  return page
    .locator("[data-connection] a")
    .filter({ hasNotText: /^(Parear|Ver o que fazer)$/ })
    .allTextContents();
}

async function expectNames(page: Page, names: readonly string[]): Promise<void> {
  const shown = await eventually(`the list ${names.join(", ")}`, PATIENT_MS, async () => {
    const now = await shownNames(page);
    return now.length === names.length && now.every((name, at) => name === names[at]) && now;
  }).catch(() => shownNames(page));
  expect(shown).toEqual(names);
}

describe("the list of connections", () => {
  it("a phone unlinked on the network updates its row within 2 seconds, without a reload", async () => {
    const ana = await newcomer("ana");
    const { page } = await dashboard().visit(null, { as: ana });
    const { call } = await person(dashboard().ready, ana);
    let before: number | null = null;
    await bestOfThree("the row of an unlinked phone updated", promised(2_000, dashboard().own), async () => {
      if (before !== null) await ok(call("DELETE", `/connections/${before}`));
      const phone = freshPhone();
      before = (await pairConnection(dashboard().ready, phone, { name: "Loja Centro" }, ana)).id;
      await page.goto("/connections");
      await row(page, "Loja Centro").getByText("conectada", { exact: true }).waitFor();
      await page.evaluate("globalThis.untouched = true");
      const unlinkedAt = performance.now();
      await ok(phones(dashboard().ready).call("POST", `/phones/${phone}/unlink`, {}));
      await row(page, "Loja Centro").getByText("desconectada – sessão encerrada").waitFor();
      const tookMs = performance.now() - unlinkedAt;
      expect(await page.evaluate("globalThis.untouched")).toBe(true);
      return tookMs;
    });
    // The attention section lists it, with the remedy.
    const attention = page.getByRole("region", { name: "Precisam de atenção" });
    await attention.getByText("Loja Centro").waitFor();
    await attention.getByRole("link", { name: "Parear: Loja Centro" }).click();
    await page.waitForURL(/\/connections\/\d+\/pair$/);
    await page.getByRole("img", { name: "QR code para ler com o celular" }).waitFor();
  });

  it("each filter shows exactly its rows and survives a reload", async () => {
    const [ana, friend] = [await newcomer("ana"), await newcomer("amiga")];
    await create(ana, "Loja Centro");
    const { phone } = await pairConnection(dashboard().ready, freshPhone(), { name: "Vendas" }, ana);
    await create(ana, "Cobrança");
    const shared = await create(friend, "Da amiga");
    const { call } = await person(dashboard().ready, friend);
    await ok(call("POST", `/connections/${shared}/shares`, { email: ana, role: "viewer" }), 201);
    const { page } = await dashboard().visit("/connections", { as: ana });
    await expectNames(page, ["Loja Centro", "Vendas", "Cobrança", "Da amiga"]);
    // Four connections are too few for filters.
    expect(await page.getByRole("searchbox").count()).toBe(0);
    await page.goto("/connections?status=connected");
    await expectNames(page, ["Vendas"]);
    await choose(page, "Status", "Todas");
    await expectNames(page, ["Loja Centro", "Vendas", "Cobrança", "Da amiga"]);
    for (const [filter, address, names] of [
      [["Status", "Conectada"], "status=connected", ["Vendas"]],
      [["Status", "Desconectada"], "status=disconnected", ["Loja Centro", "Cobrança", "Da amiga"]],
      [["Dono da conexão", "Compartilhadas"], "of=shared", ["Da amiga"]],
      [["Dono da conexão", "Minhas"], "of=owner", ["Loja Centro", "Cobrança"]],
      [["Status", "Todas"], "of=owner", ["Loja Centro", "Vendas", "Cobrança"]],
    ] as const) {
      await choose(page, filter[0], filter[1]);
      await expectNames(page, names);
      expect(page.url()).toContain(address);
      await page.reload();
      await expectNames(page, names);
    }
    await choose(page, "Dono da conexão", "Todas");
    await page.getByRole("searchbox", { name: "Buscar por nome ou telefone" }).fill(phone.slice(-8));
    await expectNames(page, ["Vendas"]);
    await page.reload();
    await expectNames(page, ["Vendas"]);
    await page.getByRole("searchbox").fill("ninguém");
    await page.getByText("Nenhuma conexão com estes filtros").waitFor();
    await page.getByRole("button", { name: "Limpar filtros" }).click();
    await expectNames(page, ["Loja Centro", "Vendas", "Cobrança", "Da amiga"]);
    await expect(page.getByRole("searchbox").inputValue()).resolves.toBe("");
    // The user clears the field and keeps typing, however long the list takes.
    await page.goto("/connections?q=ninguem");
    await page.getByText("Nenhuma conexão com estes filtros").waitFor();
    const [asked, wait] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(/\/api\/dashboard\/connections\?(?!.*q=)/, async (route) => {
      asked.resolve();
      await wait.promise;
      await route.continue();
    });
    await page.getByRole("searchbox").fill("");
    await asked.promise;
    await page.keyboard.type("Vend");
    wait.resolve();
    await expectNames(page, ["Vendas"]);
    await expect(page.getByRole("searchbox").inputValue()).resolves.toBe("Vend");
    await page.getByRole("searchbox").fill("");
    await expectNames(page, ["Loja Centro", "Vendas", "Cobrança", "Da amiga"]);
    // On a phone, also on its side, they are behind one button.
    await page.setViewportSize({ width: 844, height: 390 });
    await page.goto("/connections?q=Vend");
    await page.getByRole("button", { name: "Filtros" }).click();
    await choose(page, "Status", "Todas");
    await page.getByRole("button", { name: "Filtros" }).click();
    expect(await page.getByRole("group", { name: "Status" }).isVisible()).toBe(false);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto("/connections");
    // A viewer sees why the button is disabled.
    const why = row(page, "Da amiga").getByRole("button", { name: "Parear: Da amiga" });
    expect(await why.getAttribute("aria-disabled")).toBe("true");
  });

  it("a filtered list shows a newly matching number by itself, below those that need attention", async () => {
    const [caio, phone] = [await newcomer("caio"), freshPhone()];
    const { id } = await pairConnection(dashboard().ready, phone, { name: "Filial" }, caio);
    const { page } = await dashboard().visit("/connections?status=disconnected", { as: caio });
    await page.getByText("Nenhuma conexão com estes filtros").waitFor();
    await page.evaluate(() => Object.assign(globalThis, { planted: true }));
    await ok(phones(dashboard().ready).call("POST", `/phones/${phone}/unlink`, {}));
    await page.locator(`[data-connection="${id}"]`).getByText("desconectada").waitFor();
    await page.getByRole("region", { name: "Precisam de atenção" }).getByText("Filial").waitFor();
    expect(await page.evaluate(() => "planted" in globalThis)).toBe(true);
  });

  it("60 emoji make a name, 61 are refused before anything is sent", async () => {
    const bia = await newcomer("bia");
    const { page } = await dashboard().visit("/connections?new", { as: bia });
    const sent: string[] = [];
    page.on("request", (asked) => asked.method() === "POST" && sent.push(new URL(asked.url()).pathname));
    const dialog = page.getByRole("dialog", { name: "Nova conexão" });
    await dialog.getByLabel("Nome da conexão").fill("🏪".repeat(61));
    await dialog.getByRole("button", { name: "Criar e parear" }).click();
    await dialog.getByText("Use no máximo 60 caracteres.").waitFor();
    expect(sent).toEqual([]);
    await dialog.getByLabel("Nome da conexão").fill("🏪".repeat(60));
    await dialog.getByRole("button", { name: "Criar e parear" }).click();
    await page.waitForURL(/\/pair$/);
    const { call } = await person(dashboard().ready, bia);
    expect((await call("GET", "/connections")).body.data).toMatchObject([{ name: "🏪".repeat(60) }]);
  });

  it("a double Enter creates one connection, and the plan's limit is stated in numbers", async () => {
    const bia = await newcomer("bia");
    for (const name of ["Um", "Dois", "Três", "Quatro"]) await create(bia, name);
    const { page } = await dashboard().visit("/connections", { as: bia });
    await page.getByText("4 de 5 conexões do plano em uso").waitFor();
    await page.getByRole("button", { name: "Nova conexão" }).click();
    const posts: string[] = [];
    page.on("request", (asked) => {
      if (asked.method() === "POST" && asked.url().endsWith("/connections")) posts.push(asked.url());
    });
    const field = page.getByRole("dialog").getByLabel("Nome da conexão");
    await field.fill("Cinco");
    await field.evaluate((input: HTMLInputElement) => {
      input.form?.requestSubmit();
      input.form?.requestSubmit();
    });
    await page.waitForURL(/\/pair$/);
    expect(posts).toHaveLength(1);
    const { call } = await person(dashboard().ready, bia);
    expect((await call("GET", "/connections")).body.data.map(({ name }: { name: string }) => name)).toEqual([
      "Um",
      "Dois",
      "Três",
      "Quatro",
      "Cinco",
    ]);
    await page.goto("/connections");
    await page.getByText("5 de 5 conexões do plano em uso").waitFor();
    await page.getByText("Limite do plano atingido").waitFor();
    const button = page.getByRole("button", { name: "Nova conexão" });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await button.focus();
    await page.getByText("Seu plano permite 5 conexões, e você já está usando todas.").waitFor();
    await page.keyboard.press("Enter");
    expect(page.url()).not.toContain("new");
  });

  it("shows pages from the 26th connection on, and three first steps to new users", async () => {
    const caio = await newcomer("caio");
    const { page } = await dashboard().visit("/connections", { as: caio });
    await page.getByText("Conecte seu primeiro número").waitFor();
    expect(await page.getByRole("listitem").count()).toBe(3);
    const admin = await administrator(dashboard().ready);
    const { data } = await ok(admin("GET", `/admin/users?q=${caio}`));
    const terms = { plan: "pro", status: "active", max_instances: 40, current_period_end: null };
    await ok(admin("PUT", `/admin/users/${data[0].id}/subscription`, terms));
    const names = Array.from({ length: 27 }, (_, at) => `Número ${at + 1}`);
    for (const name of names) await create(caio, name);
    await page.reload();
    await expectNames(page, names.slice(0, 25));
    await page.getByRole("link", { name: "Próxima página" }).click();
    await expectNames(page, names.slice(25));
    await page.reload();
    await expectNames(page, names.slice(25));
    await choose(page, "Status", "Desconectada");
    await expectNames(page, names.slice(0, 25));
  });

  it.each([
    ["light", "pt", 1280],
    ["dark", "en", 1280],
    ["light", "en", 360],
    ["dark", "pt", 360],
  ] as const)("has no accessibility violation: %s, %s, %d pixels", async (theme, language, width) => {
    const { page } = await dashboard().visit("/connections", { theme, language, phone: width === 360 });
    await row(page, "Demo").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
    await page.getByRole("button", { name: language === "pt" ? "Nova conexão" : "New connection" }).click();
    await page.getByRole("dialog").getByRole("textbox").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(page.url()).not.toContain("new");
  });

  // Runs last, because it breaks an object and ends the worker.
  it("shows one faulty row, not a failed list, when one object cannot answer", async () => {
    const caio = await newcomer("caio");
    await create(caio, "Lenta boa");
    const folder = join(dashboard().own.directory, "worker/do/gateway-Connection");
    const before = new Set(readdirSync(folder));
    await create(caio, "Lenta quebrada");
    const files = readdirSync(folder).filter((file) => !before.has(file));
    const database = files.find((file) => file.endsWith(".sqlite")) ?? "";
    const worker = dashboard().ready.processes.worker;
    process.kill(worker, "SIGKILL");
    for (const file of files) rmSync(join(folder, file), { force: true });
    writeFileSync(join(folder, database), "this is no database, and never was one. ".repeat(200));
    await eventually("the worker is back", PATIENT_MS, async () => {
      if (dashboard().ready.processes.worker === worker) return false;
      return (await ask(`${dashboard().url}/api/dashboard/session`).catch(() => null))?.status === 200;
    });
    const { page } = await dashboard().visit("/connections?q=Lenta", { as: caio });
    await row(page, "Lenta quebrada").getByText("sem resposta").waitFor();
    await row(page, "Lenta boa").getByText("desconectada", { exact: true }).waitFor();
  });
});
