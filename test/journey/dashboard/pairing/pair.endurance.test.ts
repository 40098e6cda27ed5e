// Pairing in a real browser: the QR code through the stream, the code typed on the phone, and the timeout when nobody scans.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { person, phones } from "#root/test/support/clients.ts";
import { axeViolations, sidewaysScroll } from "#root/test/support/dashboard/axe.ts";
import { bestOfThree } from "#root/test/support/promised-times.ts";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";
import { freshPhone, pairConnection } from "#root/test/support/paired-connection.ts";
import { ok } from "#root/test/support/replies.ts";
import { promised } from "#root/test/support/sandbox.ts";

const dashboard = useDashboard(["--no-limits"]);
const ANA = "ana@example.com";
const VIEWER = "leitor@example.com";

const QR = "QR code para ler com o celular";

let unread: number;
beforeAll(async () => {
  await dashboard().newUser(ANA);
  await dashboard().newUser(VIEWER);
  // Nobody scans this one: by the last test its codes have almost expired.
  unread = await create("Esquecida");
  await ok(call("POST", `/connections/${unread}/connect`, {}));
});

async function call(method: string, path: string, json?: unknown) {
  return (await person(dashboard().ready, ANA)).call(method, path, json);
}

async function create(name: string): Promise<number> {
  return (await ok(call("POST", "/connections", { name }), 201)).data.id as number;
}

/** Text of the current QR code. */
async function rawQr(id: number): Promise<string> {
  return (await ok(call("GET", `/connections/${id}/qr`))).data.raw as string;
}

/** Records every step that the page marks as current, from now on. */
async function recordSteps(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`
    globalThis.steps = [];
    const note = () => {
      const shown = [document.querySelector('[aria-current="step"]')?.textContent ?? "", document.querySelector("progress")?.previousElementSibling?.textContent ?? ""];
      for (const text of shown) if (text !== "" && !steps.includes(text)) steps.push(text);
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    note();
  `);
  return () => page.evaluate("globalThis.steps");
}

describe("pairing a number", () => {
  it("shows the QR within 2 seconds of Connect, hides it within 2 of the scan, and leads to the overview", async () => {
    const network = phones(dashboard().ready);
    const messages = Array.from({ length: 300 }, (_, at) => ({ text: `antiga ${at}`, timestamp: 1_700_000_000 + at }));
    let before: { id: number; close: () => Promise<void> } | null = null;
    let seen: readonly string[] = [];
    await bestOfThree("the QR there, and gone", promised(2_000, dashboard().own), async () => {
      if (before !== null) {
        await before.close();
        await ok(call("DELETE", `/connections/${before.id}`));
      }
      const phone = freshPhone();
      await ok(network.call("POST", "/phones", { phone, name: "Loja" }), 201);
      await ok(network.call("POST", `/phones/${phone}/history`, { chat_id: "5511900000002@c.us", messages }), 201);
      const id = await create("Loja Norte");
      const { page, context } = await dashboard().visit(null, { as: ANA });
      before = { id, close: () => context.close() };
      // The page connects without a click.
      const connects = page.waitForRequest(/\/connect$/).then(() => performance.now());
      await page.goto(`/connections/${id}/pair`);
      const connectedAt = await connects;
      const stepsSeen = await recordSteps(page);
      await page.getByRole("img", { name: QR }).waitFor();
      const shownMs = performance.now() - connectedAt;
      const qr = await rawQr(id);
      const scannedAt = performance.now();
      await ok(network.call("POST", `/phones/${phone}/scan`, { qr }));
      await page.getByRole("img", { name: QR }).waitFor({ state: "detached" });
      const goneMs = performance.now() - scannedAt;
      await page.waitForURL(new RegExp(`/connections/${id}$`));
      seen = await stepsSeen();
      return Math.max(shownMs, goneMs);
    });
    console.info(`P5: ${seen.join(" → ")}`);
    expect(seen.filter((text) => !/^Sincronizando .+%$/.test(text))).toEqual(
      expect.arrayContaining(["Conectar o celular", "Pareando", "Conectada"]),
    );
    expect(seen.indexOf("Pareando")).toBeLessThan(seen.indexOf("Conectada"));
  });

  it("shows the QR dark on white in the dark theme, with a quiet zone of 4 modules", async () => {
    const id = await create("No escuro");
    const { page, context } = await dashboard().visit(`/connections/${id}/pair`, { as: ANA, theme: "dark" });
    const picture = page.getByRole("img", { name: QR });
    await picture.waitFor();
    const found = await picture.evaluate(async (image: HTMLImageElement) => {
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const context = canvas.getContext("2d");
      if (context === null) throw new Error("no canvas");
      context.drawImage(image, 0, 0);
      const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
      const isDark = (x: number, y: number) => (data[(y * width + x) * 4] ?? 0) < 128 && (data[(y * width + x) * 4 + 3] ?? 0) > 128;
      let [left, top] = [width, height];
      for (let y = 0; y < height; y += 1)
        for (let x = 0; x < width; x += 1) if (isDark(x, y)) [left, top] = [Math.min(left, x), Math.min(top, y)];
      let run = 0;
      while (isDark(left + run, top)) run += 1;
      return { module: run / 7, left, top, ground: getComputedStyle(image).backgroundColor };
    });
    expect(found.ground).toBe("rgb(255, 255, 255)");
    expect(found.left / found.module).toBeGreaterThanOrEqual(4);
    expect(found.top / found.module).toBeGreaterThanOrEqual(4);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancelar" }).click();
    await page.getByText("Alguém desligou a conexão, pelo painel ou por outro sistema.").waitFor();
    // Only a new visit connects without a click.
    await page.getByRole("button", { name: "Tentar de novo" }).waitFor();
    expect(await page.getByRole("img", { name: QR }).count()).toBe(0);
    await page.reload();
    await page.getByRole("img", { name: QR }).waitFor();
    // Otherwise the page reports that its connection is gone.
    await context.close();
    await ok(call("DELETE", `/connections/${id}`));
  });

  it("shows the QR even if the reader's clock is wrong, and keeps a code after a look at the QR", async () => {
    const id = await create("Relógio");
    const { page, trouble } = await dashboard().visit(null, { as: ANA });
    await page.clock.install({ time: Date.now() + 10 * 60_000 });
    await page.goto(`/connections/${id}/pair`);
    await page.getByRole("img", { name: QR }).waitFor();
    const left = Number(/\d+/.exec((await page.getByRole("timer").getAttribute("aria-label")) ?? "")?.[0]);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(61);
    await page.getByRole("tab", { name: "Código de pareamento" }).click();
    await page.getByLabel("Número do celular").fill("+55 (11) 97777-0001");
    await page.getByRole("button", { name: "Gerar código" }).click();
    const code = await page.getByRole("region", { name: "Código de pareamento" }).getByRole("status").innerText();
    await page.getByRole("tab", { name: "QR code" }).click();
    await page.getByRole("tab", { name: "Código de pareamento" }).click();
    await page.getByRole("region", { name: "Código de pareamento" }).getByText(code).waitFor();
    // The page reports that its connection is gone.
    trouble.expect(/404/);
    await ok(call("DELETE", `/connections/${id}`));
  });

  it("connects for the QR on a phone only once its tab is open, and says why it cannot connect", async () => {
    const id = await create("Sem pressa");
    const { page, trouble, context } = await dashboard().visit(null, { as: ANA, phone: true });
    const connects: string[] = [];
    page.on("request", (asked) => asked.url().endsWith("/connect") && connects.push(asked.method()));
    await page.goto(`/connections/${id}/pair`);
    await page.getByRole("button", { name: "Gerar código" }).waitFor();
    expect(connects).toEqual([]);
    await page.getByRole("tab", { name: "QR code" }).click();
    await page.getByRole("img", { name: QR }).waitFor();
    expect(connects).toEqual(["POST"]);
    await ok(call("POST", `/connections/${id}/disconnect`, {}));
    await page.getByRole("button", { name: "Tentar de novo" }).waitFor();
    trouble.expect(/503/);
    await page.route("**/connect", (asked) => asked.fulfill({ status: 503, json: { error: { code: "unavailable", message: "later" } } }));
    await page.goto(`/connections/${id}/pair?by=qr`);
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Tentar de novo" }).waitFor();
    await context.close();
    await ok(call("DELETE", `/connections/${id}`));
  });

  it("shows the whole QR on a phone on its side", async () => {
    const id = await create("De lado");
    const { page, context } = await dashboard().visit(`/connections/${id}/pair?by=qr`, { as: ANA, phone: true });
    await page.setViewportSize({ width: 844, height: 390 });
    await ok(call("POST", `/connections/${id}/connect`, {}));
    const qr = page.getByRole("img", { name: QR });
    await qr.waitFor();
    const { y = 0, height = 0 } = (await qr.boundingBox()) ?? {};
    expect(height).toBeGreaterThan(150);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(390);
    expect(await sidewaysScroll(page)).toBe(0);
    await context.close();
    await ok(call("DELETE", `/connections/${id}`));
  });

  it("keeps nothing of the QR, and shows none to a viewer", async () => {
    await ok(call("POST", `/connections/${unread}/shares`, { email: VIEWER, role: "viewer" }), 201);
    const owner = await dashboard().visit(null, { as: ANA });
    const answers: { url: string; cached: string | undefined }[] = [];
    owner.page.on("response", (answer) => {
      if (/\/(qr|stream)(\?|$)/.test(answer.url())) answers.push({ url: answer.url(), cached: answer.headers()["cache-control"] });
    });
    await owner.page.goto(`/connections/${unread}/pair`);
    await owner.page.getByRole("img", { name: QR }).waitFor();
    expect(answers.length).toBeGreaterThan(0);
    for (const { url, cached } of answers) expect([url, cached]).toEqual([url, expect.stringContaining("no-store")]);
    expect(await owner.page.evaluate("caches.keys()")).toEqual([]);
    expect(await owner.page.evaluate("sessionStorage.length")).toBe(0);

    const { page } = await dashboard().visit(`/connections/${unread}/pair`, { as: VIEWER });
    await page.getByText("leitores não podem parear números").waitFor();
    expect(await page.getByRole("img", { name: QR }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Cancelar" }).count()).toBe(0);
    const viewer = await person(dashboard().ready, VIEWER);
    expect((await viewer.call("GET", `/connections/${unread}/qr`)).status).toBe(403);
  });

  it("never forces a new pairing by Connect on a paired number, and names the next step of each problem", async () => {
    const phone = freshPhone();
    const { id } = await pairConnection(dashboard().ready, phone, { name: "Pareada" }, ANA);
    await ok(call("POST", `/connections/${id}/disconnect`, {}));
    const { page } = await dashboard().visit(`/connections/${id}/pair`, { as: ANA });
    await page.getByText("Este número já está pareado.").waitFor();
    const bodies: unknown[] = [];
    page.on("request", (asked) => asked.url().endsWith("/connect") && bodies.push(asked.postDataJSON()));
    const stepsSeen = await recordSteps(page);
    await page.getByRole("button", { name: "Conectar", exact: true }).click();
    await page.getByText("O número está pronto para enviar e receber mensagens.").waitFor();
    expect(bodies).toEqual([{ force_new_pairing: false }]);
    expect(await page.getByRole("img", { name: QR }).count()).toBe(0);
    expect(await stepsSeen()).not.toContain("Pareando");
    expect((await phones(dashboard().ready).call("GET", `/phones/${phone}`)).body.data.devices).toHaveLength(1);

    await ok(phones(dashboard().ready).call("POST", "/faults", { phone, kind: "close", code: 403 }));
    await page.getByRole("main").getByText("falhou").waitFor();
    await page.getByRole("button", { name: "Conectar", exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it("offers the code first on a phone, and pairs by it", async () => {
    const phone = freshPhone();
    const local = `${phone.slice(2, 4)} ${phone.slice(4, 9)}-${phone.slice(9)}`;
    const network = phones(dashboard().ready);
    await ok(network.call("POST", "/phones", { phone, name: "Na mão" }), 201);
    const id = await create("Na mão");
    const { page } = await dashboard().visit(`/connections/${id}/pair`, { as: ANA, phone: true });
    await page.getByRole("tab", { name: "Código de pareamento", selected: true }).waitFor();
    await page.getByLabel("Número do celular").fill("123");
    await page.getByRole("button", { name: "Gerar código" }).click();
    await page.getByText("Digite o DDD e o número").waitFor();
    // Types the number in Brazilian format, without the country code.
    await page.getByLabel("Número do celular").fill(local);
    await page.getByText(`+55 ${local}`).waitFor();
    await page.getByRole("button", { name: "Gerar código" }).click();
    const issued = page.getByRole("region", { name: "Código de pareamento" });
    const code = issued.getByRole("status");
    await issued.getByText(`Código para +55 ${local}`).waitFor();
    // A code must not be shown beside another number.
    await page.getByLabel("Número do celular").fill(`${local.slice(0, -1)}${(Number(phone.at(-1)) + 1) % 10}`);
    await issued.waitFor({ state: "detached" });
    await page.getByLabel("Número do celular").fill(`(${phone.slice(2, 4)}) ${phone.slice(4, 9)}.${phone.slice(9)}`);
    await code.waitFor();
    expect(await page.getByRole("combobox", { name: "País" }).locator("option").count()).toBeGreaterThan(200);
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
    await ok(network.call("POST", `/phones/${phone}/code`, { code: (await code.textContent())?.replace("-", "") }));
    await page.waitForURL(new RegExp(`/connections/${id}$`));
  });

  it("makes a link for the phone's holder, shows it once, and revokes it", async () => {
    const { page } = await dashboard().visit(`/connections/${unread}/pair`, { as: ANA });
    await page.getByRole("button", { name: "Enviar link de pareamento" }).click();
    await page.getByRole("dialog").getByLabel("Nome que aparece no link").fill("Balcão");
    await page.getByRole("dialog").getByRole("button", { name: "Criar link" }).click();
    const secret = page.getByRole("dialog", { name: "Link pronto" });
    expect(await secret.locator("[data-secret]").textContent()).toMatch(/\/pair#./);
    const link = (await secret.locator("[data-secret]").textContent()) ?? "";
    const sent = await secret.getByRole("link", { name: "Enviar pelo WhatsApp" }).getAttribute("href");
    expect(new URL(sent ?? "").searchParams.get("text")).toContain(link);
    const picture = secret.getByRole("img", { name: "QR code do link de pareamento" });
    await picture.waitFor();
    const drawn = decodeURIComponent((await picture.getAttribute("src")) ?? "");
    // The dashboard's package, which this project does not list.
    const drawing = "qr";
    const { default: encodeQR } = (await import(drawing)) as { default: (text: string, output: "svg", options: object) => string };
    expect(drawn).toBe(`data:image/svg+xml,${encodeQR(link, "svg", { ecc: "low", border: 4 })}`);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await secret.getByRole("button", { name: "Concluir" }).click();
    await secret.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Enviar link de pareamento" }).click();
    await page.getByRole("button", { name: "Revogar: Balcão" }).click();
    await page.getByRole("button", { name: "Revogar: Balcão" }).waitFor({ state: "detached" });
    const links = await ok(call("GET", `/connections/${unread}/pairing-links`));
    expect(links.data).toMatchObject([{ label: "Balcão", ended: "revoked" }]);
  });

  it("says that a link was made before if the response was lost, and revokes it", async () => {
    const { page, trouble } = await dashboard().visit(`/connections/${unread}/pair`, { as: ANA });
    trouble.expect(/ERR_FAILED/);
    let sent = 0;
    await page.route("**/pairing-links", async (route) => {
      if (route.request().method() === "POST") sent += 1;
      if (route.request().method() !== "POST" || sent > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole("button", { name: "Enviar link de pareamento" }).click();
    const dialog = page.getByRole("dialog", { name: "Link de pareamento" });
    await dialog.getByLabel("Nome que aparece no link").fill("Perdido");
    await dialog.getByRole("button", { name: "Criar link" }).click();
    await dialog.getByText("O servidor não está respondendo.", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Criar link" }).click();
    await page.getByText("Este link já foi criado", { exact: false }).first().waitFor();
    await dialog.getByRole("button", { name: "Revogar: Perdido" }).click();
    await dialog.getByRole("button", { name: "Revogar: Perdido" }).waitFor({ state: "detached" });
    const links = await ok(call("GET", `/connections/${unread}/pairing-links`));
    expect(links.data).toContainEqual(expect.objectContaining({ label: "Perdido", ended: "revoked" }));
  });

  // Must run last: by now most codes of the forgotten connection have expired.
  it("replaces an expired QR by a new one, and stays still after the last one", { timeout: 600_000 }, async () => {
    const { page, trouble } = await dashboard().visit(`/connections/${unread}/pair`, { as: ANA });
    // The page may request the last QR code while it expires.
    trouble.expect(/409.+\/qr/);
    const picture = page.getByRole("img", { name: QR });
    const again = page.getByRole("button", { name: "Gerar novo QR code" });
    await picture.or(again).waitFor();
    const seconds = async () => Number(/\d+/.exec((await page.getByRole("timer").getAttribute("aria-label")) ?? "")?.[0]);
    const seen = new Map<string, number>();
    for (;;) {
      if (await again.isVisible()) {
        if (seen.size >= 2) break;
        // The previous tests took so long that hardly any code was left.
        seen.clear();
        await again.click();
        await picture.waitFor();
      }
      const src = await picture.getAttribute("src", { timeout: 1_000 }).catch(() => null);
      if (src !== null && !seen.has(src)) seen.set(src, await seconds().catch(() => 0));
      await page.waitForTimeout(200);
    }
    expect(seen.size).toBeGreaterThanOrEqual(2);
    const [, ...later] = seen.values();
    for (const left of later) expect(left).toBeLessThanOrEqual(20);
    expect(await picture.count()).toBe(0);
    await page.getByText("Os QR codes expiraram").waitFor();
    await again.click();
    await picture.waitFor();
    expect(await seconds()).toBeGreaterThan(40);
    expect(await seconds()).toBeLessThanOrEqual(60);
  });
});
