// A connection's overview in a real browser: it follows the number's changes, and actions can be undone.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import en from "#root/dashboard/src/texts/en/reasons.ts";
import pt from "#root/dashboard/src/texts/pt/reasons.ts";
import { groupedPhone } from "#root/dashboard/src/domain/phone.ts";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import { customer, person, phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { freshPhone, pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";

const dashboard = useDashboard(["--no-limits"]);
const PATIENT_MS = 60_000;

let receiver: Receiver;
let path: string;
let contact: string;
let number: string;
beforeAll(async () => {
  receiver = await Receiver.start();
  const { demo } = dashboard().ready;
  path = `/connections/${demo.connection.id}`;
  contact = demo.contact?.phone ?? "";
  number = demo.connection.phone ?? "";
});
afterAll(async () => receiver.stop());

const panel = (page: Page, name: string) => page.getByRole("region", { name });
const step = (page: Page, name: string) => page.locator(`[data-step=${name}]`);

/** Clicks a menu item beside the number's state. */
async function more(page: Page, action: string): Promise<void> {
  await page.getByRole("button", { name: "Mais ações" }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

describe("the overview", () => {
  it("ticks the first steps by facts, and hides them once all are done", async () => {
    const { page } = await dashboard().visit(path);
    // The page asks once for the number's purpose.
    await page.getByRole("button", { name: "Conversar por aqui" }).waitFor();
    await page.getByRole("button", { name: "Conectar um sistema" }).click();
    const first = panel(page, "Primeiros passos");
    await step(page, "connected").getByText("feito").waitFor();
    await step(page, "key").getByText("feito").waitFor();
    await step(page, "message").getByText("a fazer").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await ok(customer(dashboard().ready).text(contact, "A primeira"));
    await step(page, "message").getByText("feito").waitFor();
    await step(page, "webhook").getByRole("link", { name: "Criar webhook" }).waitFor();
    const { call } = await person(dashboard().ready);
    await ok(call("PUT", `${path}/webhook`, { url: receiver.url }), 201);
    await ok(customer(dashboard().ready).text(contact, "A segunda"));
    await receiver.waitFor("an event", PATIENT_MS, ({ type }) => type === "message.sent");
    await first.waitFor({ state: "detached" });
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Demo");
    // Screen readers would otherwise announce how long the state has lasted, again and again.
    const ages = page.getByRole("status").locator("time");
    expect(await ages.evaluateAll((all) => all.map((age) => age.getAttribute("aria-live")))).toEqual(["off"]);
  });

  it("shows a new number only how to pair it, without charts of zeros", async () => {
    const { call } = await person(dashboard().ready);
    const { data } = await ok<{ data: { id: number } }>(call("POST", "/connections", { name: "Nova" }), 201);
    const { page } = await dashboard().visit(`/connections/${data.id}`);
    const beginning = panel(page, pt.created.happened);
    await beginning.getByRole("link", { name: "Parear", exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "Parear", exact: true }).count()).toBe(1);
    expect(await beginning.locator("[aria-current=step]").innerText()).toContain("QR code");
    // Its ids are all there is to say about the number.
    expect(await panel(page, "Dados").locator("dt").allInnerTexts()).toEqual(["ID", "ID da instância (API)"]);
    expect(await panel(page, "Últimas 24 horas").count()).toBe(0);
    expect(await panel(page, "Saúde do número").count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    // An open page would ask for the deleted connection, and the browser would log the 404.
    await page.close();
    await ok(call("DELETE", `/connections/${data.id}`));
  });

  it("shows a refusal of the network with its scope and end, and says not to insist", async () => {
    const { page } = await dashboard().visit(path);
    const health = panel(page, "Saúde do número");
    await health.getByText("100 de 100").waitFor();
    const { call } = phones(dashboard().ready);
    await ok(call("POST", "/faults", { phone: number, kind: "refuse_send", code: 463, ms: PATIENT_MS }));
    expect((await customer(dashboard().ready).text(contact, "Não vai")).status).toBe(423);
    await health.getByText("O WhatsApp não deixa este número iniciar novas conversas").waitFor();
    await health.getByText("As conversas que já existem continuam funcionando.").waitFor();
    await health.getByText(/^(Termina|O WhatsApp não informou quando termina)/).waitFor();
    await health.getByText(/^Não insista/).waitFor();
    const head = panel(page, "Status");
    await head.getByText(pt.restricted.happened).waitFor();
    expect(await head.locator("[data-status=connected]").getAttribute("class")).toContain("text-attention");
    // Chart and health count the same failures.
    const counted = async () =>
      health
        .locator("div", { has: page.getByText("Falharam", { exact: true }) })
        .last()
        .locator("dd")
        .innerText();
    const drawn = () =>
      panel(page, "Últimas 24 horas")
        .getByRole("button", { name: /falh(ou|aram)$/ })
        .innerText();
    const agree = async () => {
      const count = await counted();
      return count !== "0" && (await drawn()) === (count === "1" ? "1 falhou" : `${count} falharam`);
    };
    await expect.poll(agree, { timeout: PATIENT_MS }).toBe(true);
    // The arrow keys select one hour.
    const chart = page.getByRole("slider", { name: "Últimas 24 horas" });
    await chart.press("End");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/^\d\d:00: .+, (1 falhou|([2-9]|[1-9]\d+) falharam)$/);
    await chart.press("ArrowLeft");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/, 0 falharam$/);
    await chart.blur();
    expect(await page.locator("main").innerText()).not.toMatch(/tente de novo|tentar de novo|reenvie/i);
    expect(await axeViolations(page)).toEqual([]);
    await call("DELETE", "/faults");
    await health.getByText("O WhatsApp não deixa este número").waitFor({ state: "detached" });
  });

  it("has texts for every status reason in both languages, and shows the current one", async () => {
    for (const words of [pt, en]) {
      expect(Object.keys(words).toSorted()).toEqual([...STATUS_REASONS].toSorted());
      const incomplete = Object.entries(words).filter(
        ([reason, { short, happened, next }]) => happened === "" || next === "" || (short === "" && reason !== "ok"),
      );
      expect(incomplete).toEqual([]);
    }
    const { call } = await person(dashboard().ready);
    await ok(call("POST", `${path}/disconnect`));
    for (const [language, words] of [
      ["pt", pt],
      ["en", en],
    ] as const) {
      const { page } = await dashboard().visit(path, { language });
      await page.getByText(words.manual.happened).waitFor();
      await page.getByText(words.manual.next).waitFor();
    }
    const { page } = await dashboard().visit(path);
    await ok(call("POST", `${path}/connect`));
    await page.getByText(pt.ok.happened).waitFor();
  });

  it("opens chats by its first button, asks chat-only users for no key, and closes for good", async () => {
    const { call } = await person(dashboard().ready);
    const { data } = (await ok(call("POST", "/connections", { name: "Balcão" }), 201)) as { data: { id: number } };
    const { page } = await dashboard().visit(`/connections/${data.id}`);
    // Before a phone is paired, pairing is the only step.
    await page.getByRole("link", { name: "Parear", exact: true }).waitFor();
    await page.getByRole("region", { name: "Dados" }).waitFor();
    expect(await page.getByRole("button", { name: "Conversar por aqui" }).count()).toBe(0);
    const paired = await pairConnection(dashboard().ready, freshPhone(), { name: "Balcão novo" });
    // Its key was used, which counts as a first message.
    const { data: keys } = (await ok(call("GET", `/connections/${paired.id}/keys`))) as { data: { id: string }[] };
    for (const key of keys) await ok(call("DELETE", `/connections/${paired.id}/keys/${key.id}`));
    await page.goto(`/connections/${paired.id}`);
    await page.getByRole("button", { name: "Conversar por aqui" }).click();
    await step(page, "message").waitFor();
    expect(await step(page, "key").count()).toBe(0);
    await page.getByRole("button", { name: "Fechar primeiros passos" }).click();
    await panel(page, "Primeiros passos").waitFor({ state: "detached" });
    await page.goto(path);
    const first = page.getByRole("group", { name: "Ações da conexão" }).getByRole("link").first();
    await first.waitFor();
    expect(await first.textContent()).toBe("Abrir conversas");
    await page.reload();
    await page.getByRole("group", { name: "Ações da conexão" }).waitFor();
    expect(await panel(page, "Primeiros passos").count()).toBe(0);
    for (const id of [data.id, paired.id]) await ok(call("DELETE", `/connections/${id}`));
  });

  it("undoes a disconnection by one button", async () => {
    const { page } = await dashboard().visit(path);
    await more(page, "Desligar");
    await page.getByText(pt.manual.happened).waitFor();
    await page.getByRole("button", { name: "Desfazer" }).click();
    await page.getByText(pt.ok.happened).waitFor();
    await more(page, "Desligar");
    await page.getByText(pt.manual.happened).waitFor();
    await page.getByRole("button", { name: "Reconectar" }).click();
    await page.getByText(pt.ok.happened).waitFor();
    expect(await page.getByRole("button", { name: "Reconectar" }).count()).toBe(0);
  });

  it("fits a 320-pixel-wide phone in dark mode", async () => {
    const { page } = await dashboard().visit(path, { phone: true, theme: "dark", language: "en" });
    await page.setViewportSize({ width: 320, height: 640 });
    await page
      .getByRole("region", { name: "Number health" })
      .getByText(/^\d+ out of 100$/)
      .waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    // With forced colours, the current page is still marked and the chart's series are still distinguishable.
    await page.emulateMedia({ forcedColors: "active" });
    const backgrounds = (selector: string) =>
      page.locator(selector).evaluateAll((found) => found.map((each) => getComputedStyle(each).backgroundColor));
    const pages = await backgrounds("nav a:visible");
    expect(new Set(pages).size).toBe(2);
    expect(new Set(await backgrounds("figure button > span:first-child")).size).toBe(3);
  });

  it("logs out only after the name was typed, and lists the losses", async () => {
    const { page } = await dashboard().visit(path);
    await more(page, "Encerrar sessão");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Para usar o número de novo, você vai precisar parear outra vez.").waitFor();
    await dialog.getByRole("button", { name: "Encerrar sessão" }).click();
    await dialog.getByText("Preencha este campo.").waitFor();
    await dialog.getByLabel("Para confirmar, digite Demo").fill("Demo");
    await dialog.getByRole("button", { name: "Encerrar sessão" }).click();
    await page.getByText(pt.logged_out.happened).waitFor();
    await page.getByRole("link", { name: "Parear", exact: true }).waitFor();
    const header = page.getByRole("region", { name: "Status" });
    expect(await header.getByText(/^último número: /).innerText()).toContain(groupedPhone(number));
    await page.goto("/connections");
    const row = page.locator(`[data-connection="${dashboard().ready.demo.connection.id}"]`);
    const last = row.getByText(/^último número: /);
    // A row has no text until the browser has drawn it.
    await last.waitFor();
    expect(await last.innerText()).toContain(groupedPhone(number));
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    // After going back, the page may show its cached state for a moment.
    await expect.poll(() => page.getByRole("button", { name: "Mais ações" }).count()).toBe(0);
  });
});
