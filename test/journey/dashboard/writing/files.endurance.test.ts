// A file or recording is kept until it is sent, is sent once, and stays with its reason if it fails.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { phones } from "#root/test/support/clients.ts";
import { axeViolations, sidewaysScroll } from "#root/test/support/dashboard/axe.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { PNG } from "#root/test/support/sample-files.ts";
import { field, isSend, leave, own, PATIENT_MS, sendsOf, useShopChat } from "./shop-chat.ts";

const { dashboard, shop, contact, chat } = useShopChat();

const MEDIA = /\/media(\?|$)/;

/** Opens the chat in a window whose microphone hears a tone. */
async function withMicrophone() {
  const visit = await dashboard().visit(null);
  await visit.page.addInitScript(`
    navigator.mediaDevices.getUserMedia = async () => {
      const context = new AudioContext();
      const [tone, out] = [context.createOscillator(), context.createMediaStreamDestination()];
      tone.connect(out);
      tone.start();
      globalThis.microphone = out.stream.getTracks()[0];
      return out.stream;
    };
  `);
  await visit.page.goto(chat());
  return visit;
}

/** Pastes text files into the field. */
const paste = (page: Page, names: readonly string[]) =>
  field(page).evaluate((element, all) => {
    const data = new DataTransfer();
    for (const name of all) data.items.add(new File([name], name, { type: "text/plain" }));
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, names);

/** True if the browser asks before it closes the window, and a new deployment does not reload it. */
const isHeld = (page: Page) =>
  page.evaluate('[!dispatchEvent(new Event("beforeunload", { cancelable: true })), document.body.matches("[data-typed=unsaved]")]');

describe("a file", () => {
  it("is one message, uploaded once, if its unanswered send is retried", async () => {
    const { page, trouble } = await dashboard().visit(chat());
    trouble.expect(/ERR_FAILED/);
    const keys: (string | undefined)[] = [];
    let uploads = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && MEDIA.test(request.url())) uploads += 1;
    });
    await page.route("**/messages", async (route) => {
      if (!isSend(route)) return route.continue();
      keys.push(route.request().headers()["idempotency-key"]);
      // The gateway accepts the message, but the page gets no response.
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.getByLabel("Documento").setInputFiles({ name: "um.txt", mimeType: "text/plain", buffer: Buffer.from("Um só") });
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Enviar" }).click();
    await dialog.getByText("O servidor não está respondendo.").waitFor();
    await dialog.getByRole("button", { name: "Enviar" }).click();
    await dialog.waitFor({ state: "detached" });
    await own(page, "um.txt").first().locator("[data-status=read]").waitFor();
    expect([uploads, keys.length, new Set(keys).size]).toEqual([1, 2, 1]);
    const received = (await phones(dashboard().ready).inbox(contact())).filter(
      (record) => record["type"] === "document" && record["from"] === shop().phone,
    );
    expect(received.length).toBe(1);
  });

  it("is kept until it is sent if it was recorded, and keyboard focus stays with it", async () => {
    const { page, trouble } = await withMicrophone();
    trouble.expect(/ERR_FAILED/);
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).press("Enter");
    const stop = page.getByRole("button", { name: "Parar e enviar" });
    await stop.waitFor();
    // Focus moves once the button appears.
    await expect.poll(() => stop.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByRole("timer").filter({ hasText: "1 s" }).waitFor();
    await page.route(MEDIA, (route) => route.abort());
    await page.keyboard.press("Enter");
    await page.getByText("A gravação não foi enviada.", { exact: true }).waitFor();
    expect([await page.evaluate("microphone.readyState"), await isHeld(page)]).toEqual(["ended", [true, true]]);
    await leave(page);
    await page.goBack();
    await page.getByText("A gravação não foi enviada.", { exact: true }).waitFor();
    expect(await isHeld(page)).toEqual([true, true]);
    await page.unroute(MEDIA);
    await page.getByRole("button", { name: "Enviar gravação" }).click();
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).waitFor();
    await eventually("the voice at the phone", PATIENT_MS, async () =>
      (await phones(dashboard().ready).inbox(contact())).some((record) => record["type"] === "voice" && record["from"] === shop().phone),
    );
    await page.getByText("Você: Mensagem de voz").first().waitFor();
    expect(await isHeld(page)).toEqual([false, false]);
  });

  it("is sent as it was recorded if the script that rewrites it cannot load", async () => {
    const { page, trouble } = await withMicrophone();
    // The sandbox does not convert recordings.
    trouble.expect(/ERR_FAILED|501/);
    const held = Promise.withResolvers<void>();
    await page.route("**/ogg-opus*", async (route) => {
      await held.promise;
      await route.abort();
    });
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).click();
    await page.getByRole("timer").filter({ hasText: "1 s" }).waitFor();
    const stored = page.waitForRequest(MEDIA);
    await page.getByRole("button", { name: "Parar e enviar" }).click();
    // A finished recording is being sent, so the bin is gone.
    await page.getByRole("button", { name: "Descartar gravação" }).waitFor({ state: "detached" });
    held.resolve();
    expect(await (await stored).headerValue("content-type")).toMatch(/^audio\/webm/);
    await page.getByText("A gravação não foi enviada.", { exact: true }).waitFor();
  });

  it("takes its quote along, away from the next text, if it was recorded as a reply", async () => {
    const { page } = await withMicrophone();
    const reply = async () => {
      await page
        .getByRole("article")
        .first()
        .getByRole("button", { name: /^Ações/ })
        .press("Enter");
      await page.getByRole("menuitem", { name: "Responder" }).press("Enter");
      await page.getByRole("button", { name: "Cancelar resposta" }).waitFor();
    };
    const quoted = page.getByRole("button", { name: "Cancelar resposta" });
    // The keyboard is in the field, where Escape ends the reply.
    await reply();
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await quoted.waitFor({ state: "detached" });
    await reply();
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).click();
    await page.getByRole("timer").filter({ hasText: "1 s" }).waitFor();
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/messages"));
    const stored = Promise.withResolvers<void>();
    await page.route(MEDIA, async (route) => {
      await stored.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: "Parar e enviar" }).click();
    await quoted.waitFor({ state: "detached" });
    await reply();
    stored.resolve();
    expect((await sent).postDataJSON()).toMatchObject({ kind: "voice", quoted_message_id: expect.any(String) });
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).waitFor();
    expect(await quoted.count()).toBe(1);
  });

  it("is kept as a draft if its chat is left while it is recorded", async () => {
    const { page } = await withMicrophone();
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).click();
    await page.getByRole("timer").filter({ hasText: "1 s" }).waitFor();
    await page.getByRole("link", { name: "Conversas", exact: true }).click();
    await page.getByRole("link", { name: /Rascunho: Mensagem de voz/ }).click();
    expect(await page.evaluate("microphone.readyState")).toBe("ended");
    await page.getByText("A gravação não foi enviada.", { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/messages"));
    await page.getByRole("button", { name: "Enviar gravação" }).click();
    expect((await sent).postDataJSON()).toMatchObject({ kind: "voice" });
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).waitFor();
    expect(await page.getByRole("link", { name: /Rascunho/ }).count()).toBe(0);
  });

  it("keeps its dialog while it is uploaded, and says so if it fails after its chat was left", async () => {
    const { page, trouble } = await dashboard().visit(`/connections/${shop().id}/chats`);
    await page.getByRole("main").locator(`a[href*="${contact()}"]`).click();
    trouble.expect(/ERR_FAILED/);
    const [first, second] = [Promise.withResolvers<"continue">(), Promise.withResolvers<"abort">()];
    const fates: Promise<"continue" | "abort">[] = [first.promise, second.promise];
    await page.route(MEDIA, async (route) => route[(await fates.shift()) ?? "continue"]());
    await paste(page, ["um.txt", "dois.txt", "tres.txt"]);
    const dialog = page.getByRole("dialog", { name: "Enviar 3 arquivos" });
    await dialog.getByRole("button", { name: "Enviar", exact: true }).click();
    await page.getByText("Enviando um.txt").waitFor();
    expect(await isHeld(page)).toEqual([true, true]);
    await page.keyboard.press("Escape");
    expect(await dialog.count()).toBe(1);
    first.resolve("continue");
    await page.getByText("Enviando dois.txt").waitFor();
    await page.goBack();
    // An error would otherwise be shown in the dialog.
    await page.getByRole("dialog").waitFor({ state: "detached" });
    second.resolve("abort");
    await page
      .getByText(/^dois\.txt: O servidor não está respondendo\..* Mais 1 arquivo não foi enviado\.$/)
      .first()
      .waitFor();
  });

  it("shows how much is uploaded, and stays in its dialog with its caption if its upload is cancelled", async () => {
    const { page, context } = await dashboard().visit(chat());
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    const limit = (uploadThroughput: number) =>
      session.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
    const sends = sendsOf(page);
    await page
      .getByLabel("Documentos")
      .setInputFiles({ name: "catalogo.txt", mimeType: "text/plain", buffer: Buffer.alloc(4_000_000, "catálogo") });
    const dialog = page.getByRole("dialog", { name: "Enviar catalogo.txt" });
    await dialog.getByLabel("Legenda").fill("Nosso catálogo");
    const send = dialog.getByRole("button", { name: "Enviar", exact: true });
    await limit(100_000);
    await send.press("Enter");
    const progress = dialog.getByRole("progressbar", { name: "Progresso do envio" });
    await expect.poll(() => progress.evaluate((bar) => (bar as HTMLProgressElement).value)).toBeGreaterThan(0);
    expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    await dialog.getByRole("button", { name: "Cancelar envio" }).press("Enter");
    await progress.waitFor({ state: "detached" });
    await dialog.getByRole("status").filter({ hasText: "Envio cancelado." }).waitFor({ state: "attached" });
    await expect.poll(() => send.evaluate((button) => button === document.activeElement)).toBe(true);
    expect([await dialog.getByLabel("Legenda").inputValue(), await isHeld(page), sends.keys]).toEqual([
      "Nosso catálogo",
      [true, false],
      [],
    ]);

    await limit(-1);
    await send.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await own(page, "catalogo.txt").filter({ hasText: "Nosso catálogo" }).locator("[data-status=read]").waitFor();
    expect(sends.keys.length).toBe(1);
  });

  it("can be a photo that a phone's camera takes now", async () => {
    const { page } = await dashboard().visit(chat(), { phone: true });
    await page.getByRole("button", { name: "Anexar" }).click();
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("menuitem", { name: "Tirar foto" }).click()]);
    expect(await chooser.element().getAttribute("capture")).toBe("environment");
    await chooser.setFiles({ name: "agora.png", mimeType: "image/png", buffer: PNG });
    await page.getByRole("dialog", { name: "Enviar agora.png" }).getByRole("button", { name: "Cancelar" }).click();
    // A computer would only open its dialog for files.
    const { page: computer } = await dashboard().visit(chat());
    await computer.getByRole("button", { name: "Anexar" }).click();
    await computer.getByRole("menuitem", { name: "Imagens ou vídeos" }).waitFor();
    expect(await computer.getByRole("menuitem", { name: "Tirar foto" }).count()).toBe(0);
  });

  it("is sent in order with the others, and with its reason it stays with the rest if it fails", async () => {
    const { page, trouble } = await dashboard().visit(chat());
    trouble.expect(/ERR_FAILED/);
    const captions: unknown[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/messages"))
        captions.push((request.postDataJSON() as { caption?: string }).caption);
    });
    const fates = ["continue", "abort"] as const;
    let uploads = 0;
    await page.route(MEDIA, (route) => {
      if (route.request().method() !== "POST") return route.continue();
      uploads += 1;
      return route[fates[uploads - 1] ?? "continue"]();
    });
    await paste(page, ["inicio.txt", "meio.txt", "fim.txt", "outro.txt"]);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Não enviar outro.txt" }).click();
    await dialog.getByLabel("Legenda").fill("Segue tudo");
    expect([await dialog.getByRole("heading").innerText(), await axeViolations(page)]).toEqual(["Enviar 3 arquivos", []]);
    const send = dialog.getByRole("button", { name: "Enviar", exact: true });
    await send.click();
    const failed = dialog.getByRole("listitem").filter({ hasText: "O servidor não está respondendo." });
    await failed.filter({ hasText: "meio.txt" }).waitFor();
    expect([await dialog.getByRole("listitem").count(), await dialog.getByLabel("Legenda").count()]).toEqual([2, 0]);
    await send.click();
    await dialog.waitFor({ state: "detached" });
    await own(page, "fim.txt").locator("[data-status=read]").waitFor();
    const names = await page.getByRole("article").getByRole("link").allInnerTexts();
    expect(names.slice(-3)).toEqual(["inicio", "meio", "fim"].map((name) => expect.stringContaining(`${name}.txt`)));
    expect([captions, await own(page, "inicio.txt").innerText()]).toEqual([
      ["Segue tudo", undefined, undefined],
      expect.stringContaining("Segue tudo"),
    ]);
  });

  it("is shown by its name and size, and sent as a document, if it is a photo that the browser cannot show", async () => {
    const { page } = await dashboard().visit(chat());
    const photo = (name: string, mimeType: string) => ({ name, mimeType, buffer: Buffer.from("\0\0\0\x18ftypheic") });
    const dialog = page.getByRole("dialog");
    await page.getByLabel("Documentos").setInputFiles(photo("IMG_2041.HEIC", "image/heic"));
    await dialog.getByText("12 B · Este navegador não abre a imagem. Ela vai como arquivo.").waitFor();
    expect([await dialog.locator("img").count(), await axeViolations(page)]).toEqual([0, []]);
    await dialog.getByRole("button", { name: "Cancelar" }).click();
    await dialog.waitFor({ state: "detached" });
    // Renamed, it claims to be a photo that phones show.
    await page.getByLabel("Imagens ou vídeos").setInputFiles(photo("IMG_2042.jpg", "image/jpeg"));
    await dialog.getByText("IMG_2042.jpg", { exact: true }).last().waitFor();
    await dialog.getByText("Este navegador não abre a imagem.", { exact: false }).waitFor();
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/messages"));
    await dialog.getByRole("button", { name: "Enviar", exact: true }).click();
    expect((await sent).postDataJSON()).toMatchObject({ kind: "document" });
    await dialog.waitFor({ state: "detached" });
  });
});
