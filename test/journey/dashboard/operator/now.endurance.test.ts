// The operator's page "Now": it names prepared faults of several customers, with remedies and links; any id leads to its page.
import type { Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { type RealProxy, startHttpProxy } from "#root/test/support/bridge/real-proxies.ts";
import { person, phones } from "#root/test/support/clients.ts";
import { axeViolations, sidewaysScroll } from "#root/test/support/dashboard/axe.ts";
import { openDashboard, type OpenDashboard } from "#root/test/support/dashboard/dashboard.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { pairConnection, type PairedConnection } from "#root/test/support/paired-connection.ts";
import { Receiver } from "#root/test/support/receiver.ts";
import { useStory } from "#root/test/support/runner/story.ts";

const [ANA, BIA] = ["ana@example.com", "bia@example.com"];

let opened: OpenDashboard;
let proxy: RealProxy;
let receiver: Receiver;
let padaria: PairedConnection;

const step = useStory(
  async () => {
    opened = await openDashboard(["--no-limits", "--proxy-checks", "1"]);
    [proxy, receiver] = await Promise.all([startHttpProxy(), Receiver.start()]);
    await dashboard().newUser(ANA);
    await dashboard().newUser(BIA);
    padaria = await pairConnection(dashboard().ready, "5511966660011", { name: "Padaria" }, ANA);
  },
  async () => {
    await Promise.all([proxy.close().catch(() => undefined), receiver.stop()]);
    await opened.close();
  },
);
const dashboard = () => opened.dashboard;
afterEach(() => dashboard().closeVisits());

const found = (page: Page, name: string) =>
  page.getByRole("region", { name: "Problemas atuais" }).getByRole("listitem").filter({ hasText: name });

/** Opens the fault's link from the page, and returns once the linked page shows the name. */
async function follow(page: Page, fault: string, link: string, name: string): Promise<void> {
  await page.goto("/admin/now");
  await found(page, fault)
    .getByRole("link", { name: `${link}: ${name}` })
    .click();
  await page.getByRole("row").filter({ hasText: name }).first().waitFor();
}

it(
  "the page names each fault, says what to do, and leads to its place",
  step(async () => {
    const { ready } = dashboard();
    const network = phones(ready);
    const [locked, banned, unlinked, outdated] = [
      await pairConnection(ready, "5511966660012", { name: "Oficina" }, ANA),
      await pairConnection(ready, "5511966660013", { name: "Clínica" }, BIA),
      await pairConnection(ready, "5511966660014", { name: "Escola" }, BIA),
      await pairConnection(ready, "5511966660015", { name: "Mercado" }, ANA),
    ];
    const { page } = await dashboard().visit("/admin/now", { as: ready.admin.email });
    await page.getByRole("heading", { name: "Situação", level: 1 }).waitFor();

    await network.call("POST", "/faults", { phone: locked.phone, kind: "close", code: 403 });
    await network.call("POST", "/faults", { phone: banned.phone, kind: "close", code: 406 });
    await network.call("POST", `/phones/${unlinked.phone}/unlink`, {});
    await network.call("POST", "/faults", { phone: outdated.phone, kind: "close", code: 405, times: 1000 });
    receiver.reply = (_received, response) => void response.writeHead(500).end();
    const webhook = { url: receiver.url, events: ["message.received"] };
    expect((await padaria.owner.call("PUT", `/connections/${padaria.id}/webhook`, webhook)).status).toBeLessThan(300);
    await network.create("5511955550011", "Cliente");
    await network.send("5511955550011", { chat_id: `${padaria.phone}@c.us`, text: "um recado" });
    await receiver.waitFor("the message", 60_000, () => true);
    const admin = await person(ready, ready.admin.email);
    const made = await admin.call("POST", "/admin/proxies", {
      reason: "r",
      label: "Rio 1",
      protocol: "http",
      host: "127.0.0.1",
      port: proxy.port,
      username: proxy.username,
      password: proxy.password,
    });
    expect(made.status).toBe(201);
    await proxy.close();

    const shown = [
      ["Oficina", "Número bloqueado", "abrir o WhatsApp no celular"],
      ["Clínica", "Número banido", "pedir a revisão"],
      ["Escola", "Sessão encerrada", "parear de novo"],
      ["Mercado", "Aguardando atualização", "Defina outra na página Bridges"],
      ["Padaria", "Webhook com falhas", "está respondendo com erro"],
      ["Rio 1", "fora do ar", "mova os números para outro"],
    ] as const;
    await eventually("all faults are listed", 60_000, async () => {
      await page.reload();
      await page.getByRole("region", { name: "Problemas atuais" }).waitFor();
      const listed = await Promise.all(shown.map(([name, title]) => found(page, name).filter({ hasText: title }).count()));
      return listed.every((count) => count === 1);
    });
    for (const [name, , todo] of shown) {
      expect([name, await found(page, name).textContent()]).toEqual([name, expect.stringContaining(todo)]);
    }
    const customer = found(page, "Webhook com falhas").getByRole("link", { name: ANA });
    expect(await customer.getAttribute("href")).toBe(`mailto:${ANA}`);
    expect(await found(page, "Webhook com falhas").textContent()).toMatch(/na última hora|nas últimas 2 horas/);
    expect(await found(page, "Rio 1").textContent()).toContain("Guia: docs/operate/proxies.md, “When a proxy is down”");
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);

    await page.goto("/admin/now?kind=proxy");
    await found(page, "Rio 1").waitFor();
    expect(await found(page, "Oficina").count()).toBe(0);
    await follow(page, "Oficina", "Abrir instância", "Oficina");
    expect(await page.getByRole("row").count()).toBe(2);
    await follow(page, "Webhook com falhas", "Abrir webhooks", "Padaria");
    const webhooks = page.getByRole("dialog", { name: "Webhooks: Padaria" });
    await webhooks.getByRole("heading", { name: new URL(receiver.url).host }).waitFor();
    await webhooks.getByRole("row").filter({ hasText: "message.received" }).filter({ hasText: "500 · recusada" }).first().waitFor();
    expect(await webhooks.textContent()).not.toContain("um recado");
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await webhooks.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Ações de Padaria" }).click();
    await page.getByRole("menuitem", { name: "Ver webhooks" }).click();
    await webhooks.waitFor();
    await follow(page, "Rio 1", "Abrir proxies", "Rio 1");
    await page.getByRole("dialog", { name: "Rio 1" }).waitFor();
    await page.goto("/admin/now");
    await found(page, "Mercado").getByRole("link", { name: "Abrir bridges: Mercado" }).click();
    await page.getByRole("heading", { name: "Bridges", level: 1 }).waitFor();
  }),
);

it(
  "the search finds the place of any id, on a phone too",
  step(async () => {
    const { ready } = dashboard();
    const refused = await padaria.api.text("abc", "segredo");
    const deliveries = (await padaria.owner.call("GET", `/connections/${padaria.id}/webhook/deliveries`)).body.data as { id: string }[];
    const [message] = (await padaria.api.get("/chats/5511955550011@c.us/messages")).body.data as { message_id: string }[];
    // An administrator without connections starts here.
    const { page } = await dashboard().visit("/", { as: ready.admin.email, phone: true });
    await page.waitForURL("**/admin/now");
    const results = page.getByRole("region", { name: "Resultados da busca" });
    const ids = [
      [refused.headers.get("x-request-id") ?? "", "requisição"],
      [`${refused.headers.get("x-request-id") ?? ""} ${ANA}`, "requisição"],
      [deliveries[0]?.id ?? "", "entrega"],
      [message?.message_id ?? "", "mensagem"],
      ["+55 11 96666-0011", "instância"],
      [ANA, "usuário"],
    ] as const;
    for (const [id, kind] of ids) {
      await page.getByRole("searchbox").fill(id);
      const line = results.getByRole("listitem").filter({ hasText: kind });
      await line.first().waitFor();
      expect([id, await line.first().textContent()]).toEqual([id, expect.stringMatching(/Padaria|ana@example\.com/)]);
      expect(await results.textContent()).not.toMatch(/segredo|um recado/);
    }
    await page.getByRole("searchbox").fill("msg_nobody_knows");
    await results.getByText("Nada encontrado").waitFor();
    await results.getByText(/A busca incluiu/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    await page.getByRole("searchbox").fill(message?.message_id ?? "");
    await results.getByRole("link", { name: /mensagem/ }).click();
    await page.getByRole("heading", { name: "Instâncias", level: 1 }).waitFor();
    await page.getByText("Padaria").first().waitFor();
  }),
);

it(
  "the page names a bridge that went silent and the calls that fail because of it",
  step(async () => {
    const { ready } = dashboard();
    const { page } = await dashboard().visit("/admin/now", { as: ready.admin.email, theme: "dark", phone: true });
    const { bridge } = ready.processes;
    process.kill(bridge, "SIGSTOP");
    try {
      await eventually(
        "a call fails",
        60_000,
        async () => (await padaria.api.call("POST", "/contacts/check", { phones: ["5511955550011"] })).status >= 500,
      );
      await eventually("both are listed", 60_000, async () => {
        await page.reload();
        await page.getByRole("region", { name: "Problemas atuais" }).waitFor();
        return (
          (await found(page, "Nenhum bridge aceita sessões").count()) + (await found(page, "Requisições ou envios com falha").count()) === 2
        );
      });
      expect(await found(page, "Requisições ou envios com falha").textContent()).toContain("Padaria");
      expect(await axeViolations(page)).toEqual([]);
      await found(page, "Requisições ou envios com falha").getByRole("link", { name: "Abrir falhas: Padaria" }).click();
      await page.getByText("Só a instância Padaria").waitFor();
      await page.getByRole("figure", { name: "Falhas por motivo" }).getByText(/^× /).first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.goBack();
      await found(page, "Nenhum bridge")
        .getByRole("link", { name: /^Abrir bridges/ })
        .click();
      await page.getByRole("heading", { name: "Bridges", level: 1 }).waitFor();
    } finally {
      process.kill(bridge, "SIGCONT");
    }
  }),
);
