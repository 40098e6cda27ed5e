// The administration in a real browser: for administrators only, and every action is recorded with person and reason.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTRACT } from "#root/src/api/dashboard/contract/contract.ts";
import { ask, person } from "#root/test/support/clients.ts";
import { type RealProxy, startHttpProxy } from "#root/test/support/bridge/real-proxies.ts";
import { axeViolations, sidewaysScroll } from "#root/test/support/dashboard/axe.ts";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { pairConnection, type PairedConnection } from "#root/test/support/paired-connection.ts";

/** Proxy checks every second instead of every minute. */
const CHECK_SECONDS = 1;
const dashboard = useDashboard(["--no-limits", "--proxy-checks", String(CHECK_SECONDS)]);
const ANA = "ana@example.com";
const REASON = "Pedido do financeiro";

let proxy: RealProxy;
let loja: PairedConnection;
beforeAll(async () => {
  proxy = await startHttpProxy();
  await dashboard().newUser(ANA);
  loja = await pairConnection(dashboard().ready, "5511966660001", { name: "Loja" }, ANA);
});
afterAll(() => proxy.close().catch(() => undefined));

const asAdmin = () => dashboard().ready.admin.email;

/** Enters the reason and presses the open dialog's button. */
async function confirm(page: Page, button: string, reason = REASON): Promise<void> {
  const dialog = page
    .getByRole("dialog")
    .filter({ has: page.getByLabel("Motivo") })
    .last();
  await dialog.getByLabel("Motivo").fill(reason);
  await dialog.getByRole("button", { name: button, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

describe("the administration", () => {
  it("shows other users the not-found page, refuses all their calls, and never loads its code for them", async () => {
    const { page, trouble } = await dashboard().visit(null, { as: ANA });
    const scripts: Promise<string>[] = [];
    page.on("response", (answer) => {
      if (answer.url().endsWith(".js")) scripts.push(answer.text().catch(() => ""));
    });
    for (const part of ["now", "statistics", "users", "instances", "fleet", "proxies", "audit"]) {
      await page.goto(`/admin/${part}`);
      await page.getByText("Esta página não existe ou você não tem acesso a ela.").waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).not.toMatch(
        /Situação|Estatísticas|Usuários|Instâncias|Bridges|Proxies|Auditoria/,
      );
    }
    const loaded = await Promise.all(scripts);
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((text) => text.includes("/admin/users/{user_id}/suspend"))).toEqual([]);
    const rows = Object.keys(CONTRACT).filter((name) => name.includes(" /admin/"));
    expect(rows.length).toBeGreaterThan(15);
    const { token } = await person(dashboard().ready, ANA);
    for (const row of rows) {
      const [method = "", path = ""] = row.split(" ");
      const url = `${dashboard().url}/api/dashboard${path.replaceAll(/\{\w+\}/g, "x")}`;
      const answer = await ask(url, { method, headers: { authorization: `Bearer ${token}` }, ...(method === "GET" ? {} : { json: {} }) });
      expect([row, answer.status, answer.body.error.code]).toEqual([row, 403, "forbidden"]);
    }
    trouble.expect(/404/);
  });

  it("a suspension makes keys answer 403 at once, and is audited with actor and reason", async () => {
    expect((await loja.api.get("/instance")).status).toBe(200);
    const { page } = await dashboard().visit("/admin/users", { as: asAdmin() });
    await page.getByRole("searchbox").fill(ANA);
    await page.getByRole("button", { name: `Abrir ${ANA}` }).click();
    await page.waitForURL(/user=/);
    await page.getByRole("dialog", { name: ANA }).getByRole("button", { name: "Suspender" }).click();
    // Without a reason nothing is sent.
    await page.getByRole("dialog").last().getByRole("button", { name: "Suspender", exact: true }).click();
    await page.getByText("Preencha este campo.").waitFor();
    await confirm(page, "Suspender");
    expect((await loja.api.get("/instance")).status).toBe(403);
    await page.getByRole("dialog").getByRole("button", { name: "Reativar conta" }).click();
    await page.getByRole("dialog", { name: `Reativar conta: ${ANA}` }).waitFor();
    await confirm(page, "Reativar conta", "Pagou");
    await page.getByText("Conta reativada.").first().waitFor();
    await eventually("its key works again", 60_000, async () => (await loja.api.get("/instance")).status === 200);
    await page.getByRole("link", { name: "Ver na auditoria" }).click();
    const entry = page.getByRole("row").filter({ hasText: "suspendUser" });
    await entry.getByText(REASON).waitFor();
    await entry.getByText(asAdmin()).waitFor();
    await entry.getByText("feito").waitFor();
    await entry.getByText("suspendeu um usuário").waitFor();
    await page.getByRole("row").filter({ hasText: "activateUser" }).getByText("Pagou").waitFor();
  });

  it("audits a changed subscription, an invitation and a refusal too", async () => {
    const { page } = await dashboard().visit("/admin/users", { as: asAdmin() });
    await page.getByRole("button", { name: `Abrir ${ANA}` }).click();
    await page.getByRole("button", { name: "Alterar assinatura" }).click();
    await page.getByLabel("Máximo de instâncias").fill("7");
    await confirm(page, "Alterar assinatura");
    await page.getByRole("dialog", { name: ANA }).getByText("1 / 7").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Convidar usuário" }).click();
    const invited = `novo-${crypto.randomUUID().slice(0, 8)}@example.com`;
    await page.getByLabel("E-mail", { exact: true }).fill(invited);
    await page.getByLabel("Nome", { exact: true }).fill("Novo");
    await confirm(page, "Convidar usuário");
    await page.getByRole("button", { name: `Abrir ${invited}` }).waitFor();
    // Administrators cannot suspend themselves.
    const refused = await person(dashboard().ready, ANA);
    expect((await refused.call("POST", "/admin/users/x/suspend", { reason: "x" })).status).toBe(403);
    await page.goto("/admin/audit");
    for (const act of ["setSubscription", "createUser"]) {
      await page.getByRole("row").filter({ hasText: act }).first().getByText(REASON).waitFor();
    }
    await page.getByLabel("Ação", { exact: true }).selectOption("convidou um usuário");
    await page.getByRole("row").filter({ hasText: "setSubscription" }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("row").filter({ hasText: "createUser" }).first().waitFor();
    expect(await page.getByRole("row").filter({ hasText: "setSubscription" }).count()).toBe(0);
  });

  it("shows statistics by day as bars and as a table, and as a file", async () => {
    const { page } = await dashboard().visit("/admin/statistics", { as: asAdmin() });
    await page.getByRole("heading", { name: "Ao longo do tempo" }).waitFor();
    expect(await page.locator("figure rect").count()).toBeGreaterThanOrEqual(30);
    for (const name of ["Mensagens", "Entregas de webhook", "Tempo de resposta dos webhooks", "Falhas por motivo"])
      await page.getByRole("figure", { name, exact: true }).waitFor();
    await page.getByText("Valores por período").click();
    const table = page.getByRole("table", { name: "Ao longo do tempo" });
    const days = (await table.getByRole("row").count()) - 1;
    expect(days).toBeGreaterThanOrEqual(30);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Baixar CSV" }).click()]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString("utf8").trimEnd().split("\r\n");
    expect(lines[0]).toBe("at,sent,received,failed,deliveries,delivered,errors,connected_minutes,p50_ms,p95_ms,complete");
    expect(lines.at(-1)).toMatch(/,false$/);
    expect(lines).toHaveLength(days + 1);
    await page.getByLabel("Intervalo").selectOption("hour");
    await page.waitForURL(/interval=hour/);
    await eventually("24 hours", 60_000, async () => (await table.getByRole("row").count()) - 1 < days);
  });

  it("marks a proxy that dies with a triangle, and lists its numbers", async () => {
    const { page } = await dashboard().visit("/admin/proxies", { as: asAdmin() });
    await page.getByText("Nenhum proxy ainda").waitFor();
    await page.getByRole("button", { name: "Novo proxy" }).click();
    await page.getByLabel("Nome", { exact: true }).fill("Rio 1");
    await page.getByLabel("Endereço").fill("127.0.0.1");
    await page.getByLabel("Porta").fill(String(proxy.port));
    await page.getByLabel("Usuário").fill(proxy.username);
    await page.getByLabel("Senha", { exact: true }).fill(proxy.password);
    await confirm(page, "Novo proxy");
    const state = page.getByRole("row").filter({ hasText: "Rio 1" }).locator("[data-proxy-status]");
    await state.waitFor();
    await page.goto("/admin/instances");
    await page.getByRole("button", { name: "Ações de Loja" }).click();
    await page.getByRole("menuitem", { name: "Atribuir proxy" }).click();
    await page.getByLabel("Proxy", { exact: true }).getByRole("option", { name: /Rio 1/ }).waitFor({ state: "attached" });
    await confirm(page, "Atribuir proxy");
    await page.goto("/admin/proxies");
    await state.and(page.locator("[data-proxy-status=healthy]")).waitFor();
    await proxy.close();
    // The untouched page receives each check; three must fail.
    await state.and(page.locator("[data-proxy-status=down]")).waitFor();
    await state.locator("[data-status=failed]").waitFor();
    await page.getByRole("region", { name: "Proxies fora do ar" }).getByText("Loja").waitFor();
    expect(await page.getByRole("region", { name: "Proxies fora do ar" }).getByText("Loja").isVisible()).toBe(true);
  });

  it("changes a proxy and keeps the unchanged values, the password too", async () => {
    const { page, context } = await dashboard().visit(null, { as: asAdmin() });
    const data = {
      reason: "r",
      label: "Olinda",
      protocol: "http",
      host: "127.0.0.1",
      port: 9,
      username: "ana",
      password: "xyzzy",
      country: "BR",
    };
    const made = await context.request.post("/api/dashboard/admin/proxies", { data, headers: { origin: dashboard().url } });
    const { id } = ((await made.json()) as { data: { id: string } }).data;
    await page.goto(`/admin/proxies?proxy=${id}`);
    await page.getByRole("button", { name: "Editar" }).click();
    const sent: unknown[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent.push(request.postDataJSON());
    });
    await page.getByLabel("Nome", { exact: true }).fill("Olinda 2");
    await page.getByRole("checkbox", { name: "Ativo" }).uncheck();
    await confirm(page, "Salvar proxy");
    expect(sent).toEqual([{ label: "Olinda 2", is_active: false, reason: REASON }]);
    const drawer = page.getByRole("dialog", { name: "Olinda 2" });
    await drawer.getByText("inativo").waitFor();
    await page.getByRole("button", { name: "Editar" }).click();
    await page.getByLabel("Usuário").fill("");
    await confirm(page, "Salvar proxy");
    expect(sent[1]).toEqual({ username: null, password: null, reason: REASON });
    await page.goto("/admin/audit");
    await page.getByRole("row").filter({ hasText: "updateProxy" }).filter({ hasText: REASON }).first().waitFor();
  });

  it("shows the fleet: no alarm, what each bridge announces, and the version and the share that are set", async () => {
    const { page } = await dashboard().visit("/admin/fleet", { as: asAdmin() });
    await page.getByRole("status").filter({ hasText: "nenhum alarme" }).waitFor();
    const version = page.getByRole("region", { name: "Versão do cliente" });
    await version.getByText(/\(da biblioteca\), 1 bridge$/).waitFor();
    await version.getByRole("button", { name: "Definir versão" }).click();
    await page.getByLabel("Definida manualmente").fill("nova");
    await page.getByLabel("Motivo").fill(REASON);
    await page.getByRole("dialog").getByRole("button", { name: "Definir versão" }).click();
    await page.getByText("Por exemplo, 2.3000.1043857760.").waitFor();
    await page.getByLabel("Definida manualmente").fill("2.3000.1999999999");
    await confirm(page, "Definir versão");
    // The bridge receives the version, announces it, and reports it.
    await version.getByText("2.3000.1999999999 (definida), 1 bridge").waitFor();
    await version.getByRole("button", { name: "Definir versão" }).click();
    await page.getByLabel("Definida manualmente").fill("");
    await confirm(page, "Definir versão");
    await version.getByText(/\(da biblioteca\), 1 bridge$/).waitFor();

    const rollout = page.getByRole("region", { name: "Rollout de um build" });
    await rollout.getByText("Nenhum rollout em andamento").waitFor();
    const bridges = page.getByRole("region", { name: "Bridges de sessão" });
    await rollout.getByRole("button", { name: "Definir porcentagem" }).click();
    await page.getByLabel("Build", { exact: true }).fill("2031-01-01.1");
    await page.getByLabel("Sessões, em %").fill("1");
    await confirm(page, "Definir porcentagem");
    await rollout.getByText("2031-01-01.1").waitFor();
    await rollout.getByText("1%").waitFor();
    await bridges.getByText("fora do rollout").waitFor();
    expect(await bridges.getByText("no rollout").count()).toBe(0);
    await rollout.getByRole("button", { name: "Encerrar rollout" }).click();
    await confirm(page, "Encerrar rollout");
    await rollout.getByText("Nenhum rollout em andamento").waitFor();
    await page.goto("/admin/audit");
    for (const act of ["definiu a versão do cliente do WhatsApp", "alterou a porcentagem de sessões no build", "encerrou um rollout"]) {
      await page.getByRole("row").filter({ hasText: act }).first().getByText(REASON).waitFor();
    }
  });

  it.each([
    [
      "pt",
      {
        menu: "Ações de sandbox",
        restart: "Reiniciar",
        elsewhere: /contêiner deste gateway/,
        lost: /O contêiner é reiniciado/,
        cancel: "Cancelar",
        reason: "Motivo",
        refused: /O bridge não roda em um contêiner desta instalação/,
        done: "Ação concluída: Reiniciar (sandbox).",
        audited: ["reiniciou um bridge", "recusado"],
      },
    ],
    [
      "en",
      {
        menu: "Actions for sandbox",
        restart: "Restart",
        elsewhere: /this gateway's containers/,
        lost: /Its container restarts/,
        cancel: "Cancel",
        reason: "Reason",
        refused: /The bridge does not run in a container of this deployment/,
        done: "Done: Restart (sandbox).",
        audited: ["restarted a bridge", "refused"],
      },
    ],
  ] as const)("lets an administrator restart a bridge in a container, with a reason, and shows a refusal: %s", async (language, texts) => {
    const { page, trouble } = await dashboard().visit("/admin/fleet", { as: asAdmin(), language });
    const item = page.getByRole("menuitem", { name: texts.restart });
    const open = () => page.getByRole("button", { name: texts.menu }).click();
    // The sandbox's bridge is a separate process.
    await open();
    await item.getByText(texts.elsewhere).waitFor();
    expect(await item.getAttribute("aria-disabled")).toBe("true");

    // From here on, the list shows it as running in a container.
    await page.route("**/api/dashboard/admin/bridges", async (route) => {
      const answer = await route.fetch();
      const { data } = (await answer.json()) as { data: object[] };
      await route.fulfill({ response: answer, json: { data: data.map((bridge) => ({ ...bridge, container: true })) } });
    });
    const sent: unknown[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/admin/bridges/sandbox/restart")) sent.push(request.postDataJSON());
    });
    await page.reload();
    await open();
    await item.click();
    const dialog = page.getByRole("dialog", { name: "sandbox" });
    await dialog.getByText(texts.lost).waitFor();
    await dialog.getByRole("button", { name: texts.restart, exact: true }).click();
    await dialog.getByRole("button", { name: texts.cancel }).click();
    await dialog.waitFor({ state: "detached" });
    // Nothing is sent without a reason or after cancelling.
    expect(sent).toEqual([]);

    await open();
    await item.click();
    await dialog.getByLabel(texts.reason).fill(REASON);
    await dialog.getByRole("button", { name: texts.restart, exact: true }).click();
    await dialog.getByText(texts.refused).waitFor();
    await page.route("**/api/dashboard/admin/bridges/sandbox/restart", (route) => route.fulfill({ json: { message: "ok" } }));
    await dialog.getByRole("button", { name: texts.restart, exact: true }).click();
    await page.getByText(texts.done).first().waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(sent).toEqual([{ reason: REASON }, { reason: REASON }]);

    await page.goto("/admin/audit");
    const entry = page.getByRole("row").filter({ hasText: "restartBridge" }).first();
    for (const text of [...texts.audited, REASON]) await entry.getByText(text).first().waitFor();
    trouble.expect(/409/);
  });

  it.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)(
    "tells an alarm of the fleet and a rejected build in words, without an accessibility violation: %s, %d pixels",
    async (theme, width) => {
      const { page } = await dashboard().visit(null, { as: asAdmin(), theme, phone: width === 360 });
      const at = new Date().toISOString();
      const alarm = { kind: "close", code: "405" };
      await page.route("**/api/dashboard/admin/fleet", (route) =>
        route.fulfill({
          json: {
            data: {
              sessions: 1240,
              away: 131,
              troubles: [
                { kind: "close", code: "515", total: 9000, sessions: 900, routine: true },
                { ...alarm, total: 3012, sessions: 402, routine: false },
                { kind: "unhandled", code: "x".repeat(40), total: 9, sessions: 0, routine: false },
              ],
              alarms: [{ ...alarm, sessions: 402, raised_at: at }],
              rollout: { build: "b".repeat(64), percent: 0, instance_ids: [], changed_at: at, rejected_for: "process crash_loop" },
            },
          },
        }),
      );
      await page.goto("/admin/fleet");
      await page.getByRole("status").filter({ hasText: "1 alarme" }).waitFor();
      const alarms = page.getByRole("region", { name: "Alarmes" });
      await alarms.getByText("o WhatsApp não aceita mais a versão do cliente que informamos").waitFor();
      await page.getByRole("region", { name: "Rollout de um build" }).getByText("os processos se encerram sozinhos").waitFor();
      const troubles = page.getByRole("region", { name: "Problemas com o WhatsApp" });
      await troubles.getByText("3.012").waitFor();
      // Problems found in any healthy fleet come last, labelled as normal.
      expect(await troubles.getByRole("row").last().textContent()).toMatch(/close 515.*normal/);
      expect(await troubles.getByText("normal", { exact: true }).count()).toBe(1);
      expect(await axeViolations(page)).toEqual([]);
      for (const width of [1280, 1024]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
      }
    },
  );

  it("stays as wide despite a name without spaces, and as readable beside a right-to-left one", async () => {
    const { page, context } = await dashboard().visit(null, { as: asAdmin() });
    const make = async (path: string, data: object) => {
      const answer = await context.request.post(`/api/dashboard${path}`, { data, headers: { origin: dashboard().url } });
      expect(answer.status()).toBe(201);
    };
    const wide = "W".repeat(60);
    await make("/admin/users", { reason: "r".repeat(500), email: `wide-${crypto.randomUUID().slice(0, 8)}@example.com`, name: wide });
    await make("/admin/proxies", { reason: wide, label: wide, protocol: "http", host: "127.0.0.1", port: 9 });
    await make("/admin/proxies", { reason: wide, label: "\u05e8\u05d9\u05d5", protocol: "http", host: "127.0.0.1", port: 9 });
    await make("/account-keys", { name: wide });
    for (const path of ["/admin/users", "/admin/proxies", "/admin/audit", "/account"]) {
      await page.goto(path);
      await page
        .getByText(path === "/admin/audit" ? "r".repeat(500) : wide)
        .first()
        .waitFor();
      for (const width of [320, 640, 768, 899, 900, 1024, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        expect([path, width, Math.max(0, await sidewaysScroll(page))]).toEqual([path, width, 0]);
        const cut = await page
          .locator("th[scope=row]")
          .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length);
        expect([path, width, cut]).toEqual([path, width, 0]);
      }
    }
    await page.goto("/admin/proxies");
    const turned = page.getByRole("button", { name: "\u05e8\u05d9\u05d5" }).first();
    expect(await turned.evaluate((button) => getComputedStyle(button).unicodeBidi)).toBe("isolate");
  });

  it.each([
    ["light", "pt", 1280],
    ["dark", "en", 360],
  ] as const)("has no accessibility violation: %s, %s, %d pixels", async (theme, language, width) => {
    const { page } = await dashboard().visit(null, { as: asAdmin(), theme, language, phone: width === 360 });
    for (const part of ["statistics", "users", "instances", "fleet", "proxies", "audit"]) {
      await page.goto(`/admin/${part}`);
      await page.getByRole("row").nth(1).waitFor();
      expect([part, await axeViolations(page)]).toEqual([part, []]);
      expect([part, (await sidewaysScroll(page)) <= 0]).toEqual([part, true]);
    }
  });
});
