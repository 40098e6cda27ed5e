// An unsent draft is kept until it is sent: slow responses, lost connections, other chats and refused files do not affect it.
import type { Page, Route } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";
import { type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";

const dashboard = useDashboard(["--no-limits"]);
const PATIENT_MS = 60_000;
const MEDIA = /\/media\?/;

let loja: PairedConnection;
let contact: string;
let chat: string;
beforeAll(async () => {
  contact = dashboard().ready.demo.contact?.phone ?? "";
  loja = await pairConnection(dashboard().ready, "5511955550001", { name: "Loja" });
  chat = `/connections/${loja.id}/chats/${contact}@c.us`;
  await ok(loja.api.text(contact, "Olá, Eco"));
});

const field = (page: Page) => page.getByRole("textbox", { name: "Escreva uma mensagem" });
const own = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text }).filter({ hasText: "pelo painel" });
const isSend = (route: Route) => route.request().method() === "POST" && route.request().url().endsWith("/messages");

/** Holds the page's sends back until the returned function is called. */
async function holdSends(page: Page): Promise<() => void> {
  let release = () => undefined as void;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/messages", async (route) => {
    if (isSend(route)) await released;
    await route.continue();
  });
  return release;
}

describe("what is written in a chat", () => {
  it("becomes the next message if written while another is being sent", async () => {
    const { page } = await dashboard().visit(chat);
    const release = await holdSends(page);
    await field(page).fill("Primeira");
    await field(page).press("Enter");
    await page.getByRole("button", { name: "Enviar", exact: true, disabled: true }).waitFor();
    await field(page).press("End");
    await field(page).pressSequentially(" e a segunda");
    release();
    await own(page, "Primeira").waitFor();
    await eventually("the field holds what was not sent", PATIENT_MS, async () => (await field(page).inputValue()) === "e a segunda");
  });

  it("stays while disconnected, and on return to the chat", async () => {
    const { page, trouble } = await dashboard().visit(chat);
    // Opening a chat marks it as read, unless the connection has just dropped.
    trouble.expect(/409.+\/seen/);
    await field(page).fill("Ainda não");
    await ok(loja.owner.call("POST", `/connections/${loja.id}/disconnect`, {}));
    const notice = page.getByRole("status").filter({ hasText: "Número desconectado" });
    await notice.waitFor();
    await field(page).pressSequentially(" enviada");
    await page.keyboard.press("Enter");
    await ok(loja.owner.call("POST", `/connections/${loja.id}/connect`, {}));
    await notice.waitFor({ state: "detached" });
    expect(await field(page).inputValue()).toBe("Ainda não enviada");
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByRole("link", { name: "Visão geral" }).click();
    await page.getByRole("heading", { level: 1, name: "Loja" }).waitFor();
    await page.goBack();
    await field(page).waitFor();
    expect(await field(page).inputValue()).toBe("Ainda não enviada");
    expect(await own(page, "Ainda não").count()).toBe(0);
  });

  it("is gone from the field if it was sent after leaving the chat", async () => {
    const { page } = await dashboard().visit(chat);
    const release = await holdSends(page);
    await field(page).fill("Enviada na saída");
    await field(page).press("Enter");
    await page.getByRole("button", { name: "Enviar", exact: true, disabled: true }).waitFor();
    await page.getByRole("link", { name: "Visão geral" }).click();
    await page.getByRole("heading", { level: 1, name: "Loja" }).waitFor();
    // A user who returns while the message is still being sent sees it and cannot send it again.
    await page.goBack();
    await field(page).waitFor();
    expect(await field(page).inputValue()).toBe("Enviada na saída");
    await page.getByRole("button", { name: "Enviar", exact: true, disabled: true }).waitFor();
    release();
    await own(page, "Enviada na saída").waitFor();
    await eventually("the field is empty", PATIENT_MS, async () => (await field(page).inputValue()) === "");
  });

  it("keeps the chat open and the text in the field during a search for another chat", async () => {
    const { page } = await dashboard().visit(chat);
    await field(page).fill("Um rascunho");
    await page.getByRole("searchbox", { name: "Buscar conversa" }).fill("ninguém");
    await page.getByText("Nenhuma conversa com este nome ou número.").waitFor();
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(chat);
    expect(await field(page).inputValue()).toBe("Um rascunho");
  });

  it("that is uncertain is restored above newer text", async () => {
    const { page, trouble } = await dashboard().visit(chat);
    trouble.expect(/424/);
    for (const text of ["Incerta um", "Incerta dois"]) {
      await ok(phones(dashboard().ready).call("POST", "/faults", { phone: loja.phone, kind: "lose_send" }));
      await field(page).fill(text);
      await field(page).press("Enter");
      await page.getByRole("region", { name: "Confira antes de enviar de novo" }).filter({ hasText: text }).waitFor();
    }
    await field(page).fill("E isto é novo");
    const first = page.getByRole("region", { name: "Confira antes de enviar de novo" }).filter({ hasText: "Incerta um" });
    await first.getByRole("button", { name: "Recuperar texto" }).click();
    expect(await field(page).inputValue()).toBe("Incerta um\nE isto é novo");
    await page.getByRole("region", { name: "Confira antes de enviar de novo" }).filter({ hasText: "Incerta dois" }).waitFor();
  });
});

describe("a file", () => {
  it("is one message, uploaded once, if its unanswered send is retried", async () => {
    const { page, trouble } = await dashboard().visit(chat);
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
    const received = (await phones(dashboard().ready).inbox(contact)).filter(
      (record) => record["type"] === "document" && record["from"] === loja.phone,
    );
    expect(received.length).toBe(1);
  });

  it("that was recorded is kept until it is sent, and keyboard focus stays with it", async () => {
    const { page, trouble } = await dashboard().visit(null);
    trouble.expect(/ERR_FAILED/);
    await page.addInitScript(`
      navigator.mediaDevices.getUserMedia = async () => {
        const context = new AudioContext();
        const [tone, out] = [context.createOscillator(), context.createMediaStreamDestination()];
        tone.connect(out);
        tone.start();
        globalThis.microphone = out.stream.getTracks()[0];
        return out.stream;
      };
    `);
    await page.goto(chat);
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).press("Enter");
    const stop = page.getByRole("button", { name: "Parar e enviar" });
    await stop.waitFor();
    // Focus moves once the button appears.
    await expect.poll(() => stop.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByRole("timer").filter({ hasText: "1 s" }).waitFor();
    await page.route(MEDIA, (route) => route.abort());
    await page.keyboard.press("Enter");
    await page.getByText("A gravação não foi enviada.", { exact: true }).waitFor();
    expect(await page.evaluate("microphone.readyState")).toBe("ended");
    await page.unroute(MEDIA);
    await page.getByRole("button", { name: "Enviar gravação de novo" }).click();
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).waitFor();
    await eventually("the voice at the phone", PATIENT_MS, async () =>
      (await phones(dashboard().ready).inbox(contact)).some((record) => record["type"] === "voice" && record["from"] === loja.phone),
    );
  });
});

it("a message that came while the stream was away is shown when it is back", async () => {
  const { page } = await dashboard().visit(null);
  let opened = 0;
  await page.route(`**/connections/${loja.id}/stream*`, async (route) => {
    opened += 1;
    if (opened === 1) return route.fulfill({ contentType: "text/event-stream", body: "retry: 200\n\n" });
    // No event id exists yet, so nothing is repeated.
    if (opened === 2) {
      await page.getByRole("article").first().waitFor();
      await ok(phones(dashboard().ready).send(contact, { chat_id: loja.phone, text: "No escuro" }));
      await eventually("the message is stored", PATIENT_MS, async () => {
        const { body } = await loja.owner.call("GET", `/connections/${loja.id}/chats/${contact}@c.us/messages`);
        return (body.data as { text: string | null }[]).some(({ text }) => text === "No escuro");
      });
    }
    return route.continue();
  });
  await page.goto(chat);
  await page.getByRole("article").filter({ hasText: "No escuro" }).waitFor();
});
