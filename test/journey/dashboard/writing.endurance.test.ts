// An unsent draft is kept until it is sent: slow responses, lost connections, other chats and refused files do not affect it.
import type { Page, Route } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";
import { type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";

const dashboard = useDashboard(["--no-limits"]);
const PATIENT_MS = 60_000;
const MEDIA = /\/media(\?|$)/;

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

const status = (page: Page, text: string, value: string) => own(page, text).locator(`[data-status=${value}]`);
const below = (page: Page, text: string, name: string) =>
  page.getByRole("group", { name: `não enviada: ${text}` }).getByRole("button", { name });
const announced = (page: Page, text: RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor({ state: "attached" });

const write = async (page: Page, text: string) => {
  await field(page).fill(text);
  await field(page).press("Enter");
};

/** The idempotency keys and message ids of the page's sends. */
function sendsOf(page: Page): { keys: (string | undefined)[]; ids: string[] } {
  const [keys, ids]: [(string | undefined)[], string[]] = [[], []];
  page.on("request", (request) => {
    if (request.method() !== "POST" || !request.url().endsWith("/messages")) return;
    keys.push(request.headers()["idempotency-key"]);
    ids.push((request.postDataJSON() as { message_id: string }).message_id);
  });
  return { keys, ids };
}

/** Texts that the contact received from this number, in order. */
const received = async () =>
  (await phones(dashboard().ready).inbox(contact)).filter(({ from }) => from === loja.phone).map(({ text }) => String(text));

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

/** Sends a message from the contact, and waits until it is stored. */
async function arrived(text: string): Promise<void> {
  await ok(phones(dashboard().ready).send(contact, { chat_id: loja.phone, text }));
  await eventually("the message is stored", PATIENT_MS, async () => {
    const { body } = await loja.owner.call("GET", `/connections/${loja.id}/chats/${contact}@c.us/messages`);
    return (body.data as { text: string | null }[]).some((message) => message.text === text);
  });
}

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
  await visit.page.goto(chat);
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

const leave = async (page: Page) => {
  await page.getByRole("link", { name: "Visão geral" }).click();
  await page.getByRole("heading", { level: 1, name: "Loja" }).waitFor();
};

describe("text that is written in a chat", () => {
  it("is sent in order, one at a time, while the field takes the next texts", async () => {
    const { page } = await dashboard().visit(chat);
    const sends = sendsOf(page);
    const release = await holdSends(page);
    const texts = ["Primeira", "Segunda", "Terceira", "Terceira"];
    for (const text of texts) {
      await field(page).pressSequentially(text);
      await field(page).press("Enter");
      expect(await field(page).inputValue()).toBe("");
    }
    const bubbles = page.getByRole("article").filter({ has: page.locator("[data-status=pending]") });
    await expect.poll(() => bubbles.count()).toBe(4);
    expect(await bubbles.allInnerTexts()).toEqual(texts.map((text) => expect.stringContaining(text)));
    await announced(page, /^enviando\s*$/);
    expect([sends.keys.length, await axeViolations(page)]).toEqual([1, []]);
    await field(page).pressSequentially("E isto ainda não");
    release();
    await expect.poll(() => status(page, "Terceira", "read").count(), { timeout: PATIENT_MS }).toBe(2);
    expect(await field(page).inputValue()).toBe("E isto ainda não");
    expect([new Set(sends.keys).size, new Set(sends.ids).size, await bubbles.count()]).toEqual([4, 4, 0]);
    expect((await received()).filter((text) => texts.includes(text))).toEqual(texts);
  });

  it("is refused with its reason, holds back the texts after it, and is sent again or discarded", async () => {
    const { page, trouble } = await dashboard().visit(chat);
    trouble.expect(/403/);
    const sends = sendsOf(page);
    const answered = Promise.withResolvers<void>();
    await page.route("**/messages", async (route) => {
      if (!isSend(route)) return route.continue();
      await answered.promise;
      return route.fulfill({ status: 403, json: { error: { code: "new_chat_refused", message: "Refused", details: null } } });
    });
    await write(page, "Recusada um");
    await write(page, "Recusada dois");
    answered.resolve();
    await status(page, "Recusada um", "failed").waitFor();
    await status(page, "Recusada dois", "failed").waitFor();
    await announced(page, /^não enviada: /);
    await own(page, "Recusada um").getByText("Não insista", { exact: false }).waitFor();
    await own(page, "Recusada dois").getByText("Ainda não foi enviada.", { exact: false }).waitFor();
    expect([sends.keys.length, await axeViolations(page)]).toEqual([1, []]);
    // Both stay while another page is open, and after a reload.
    await page.getByRole("link", { name: "Visão geral" }).click();
    await page.getByRole("heading", { level: 1, name: "Loja" }).waitFor();
    await page.goBack();
    await status(page, "Recusada um", "failed").waitFor();
    await page.getByRole("link", { name: /não enviada: Recusada dois/ }).waitFor();
    await page.reload();
    await status(page, "Recusada dois", "failed").waitFor();

    // By keyboard: the first is sent again with a new key, because the gateway may remember a refusal, and the second is discarded.
    await page.unroute("**/messages");
    await below(page, "Recusada um", "Tentar de novo").press("Enter");
    await status(page, "Recusada um", "read").waitFor();
    expect([await own(page, "Recusada um").count(), new Set(sends.keys).size, new Set(sends.ids).size]).toEqual([1, 2, 1]);
    await below(page, "Recusada dois", "Descartar").press("Enter");
    await own(page, "Recusada dois").waitFor({ state: "detached" });
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByRole("button", { name: "Desfazer" }).click();
    await status(page, "Recusada dois", "failed").waitFor();
    await below(page, "Recusada dois", "Descartar").click();
    await own(page, "Recusada dois").waitFor({ state: "detached" });
    expect((await received()).filter((text) => text.startsWith("Recusada"))).toEqual(["Recusada um"]);
  });

  it("is one message with one key if its send had no response", async () => {
    const { page, trouble } = await dashboard().visit(chat);
    trouble.expect(/ERR_FAILED/, /429/);
    const sends = sendsOf(page);
    const fates = ["lost", "limited", "unanswered"];
    await page.route("**/messages", async (route) => {
      const fate = isSend(route) ? fates.shift() : undefined;
      if (fate === undefined) return route.continue();
      if (fate === "limited") return route.fulfill({ status: 429, json: { error: { code: "rate_limited", message: "", details: null } } });
      // The gateway accepts the message, but the page gets no response.
      if (fate === "unanswered") await route.fetch();
      return route.abort();
    });
    await write(page, "Sem resposta");
    await below(page, "Sem resposta", "Tentar de novo").click();
    await own(page, "Sem resposta").getByText("O servidor não está respondendo.", { exact: false }).waitFor({ state: "detached" });
    await below(page, "Sem resposta", "Tentar de novo").click();
    // The stored message replaces the bubble, although this page got no response.
    await status(page, "Sem resposta", "read").waitFor();
    await below(page, "Sem resposta", "Tentar de novo").waitFor({ state: "detached" });
    expect([sends.keys.length, new Set(sends.keys).size, new Set(sends.ids).size]).toEqual([3, 1, 1]);
    expect(await own(page, "Sem resposta").count()).toBe(1);
    expect((await received()).filter((text) => text === "Sem resposta").length).toBe(1);
  });

  it("is sent by itself once the browser is online again, in order", async () => {
    const { page, context, trouble } = await dashboard().visit(chat);
    trouble.expect(/ERR_INTERNET_DISCONNECTED/);
    const sends = sendsOf(page);
    await field(page).waitFor();
    await context.setOffline(true);
    await write(page, "No metrô");
    await write(page, "E depois");
    await status(page, "E depois", "failed").waitFor();
    await context.setOffline(false);
    await status(page, "E depois", "read").waitFor();
    expect((await received()).filter((text) => /^(No metrô|E depois)$/.test(text))).toEqual(["No metrô", "E depois"]);
    expect(new Set(sends.keys).size).toBe(2);
  });

  it("is recognized if its event arrives before the response", async () => {
    const { page } = await dashboard().visit(chat);
    const answered = Promise.withResolvers<void>();
    await page.route("**/messages", async (route) => {
      if (!isSend(route)) return route.continue();
      const response = await route.fetch();
      await answered.promise;
      return route.fulfill({ response });
    });
    await write(page, "Evento primeiro");
    await status(page, "Evento primeiro", "read").waitFor();
    expect(await own(page, "Evento primeiro").count()).toBe(1);
    answered.resolve();
    await announced(page, /^enviada\s*$/);
    expect(await own(page, "Evento primeiro").count()).toBe(1);
  });

  it("is shown and sent while the chat's messages cannot load", async () => {
    const { page, trouble } = await dashboard().visit(null);
    trouble.expect(/500/);
    await page.route(/\/messages\?/, (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(chat);
    await field(page).waitFor();
    await write(page, "Antes das outras");
    await status(page, "Antes das outras", "sent").waitFor();
    await page.unroute(/\/messages\?/);
    // The page reads the messages again by itself.
    await status(page, "Antes das outras", "read").waitFor();
    expect(await own(page, "Antes das outras").count()).toBe(1);
  });

  it("stays after it was accepted until its stored message is read", async () => {
    const { page, trouble } = await dashboard().visit(chat);
    trouble.expect(/500/);
    await page.getByRole("log").waitFor();
    const read = Promise.withResolvers<void>();
    await page.route(/\/messages\?/, async (route) => {
      await route.fulfill({ status: 500, json: {} });
      read.resolve();
    });
    await write(page, "Aceita e não lida");
    await status(page, "Aceita e não lida", "sent").waitFor();
    await read.promise;
    // Says that the messages are old, after all retries of the read.
    // Screen readers would otherwise announce each change of the age.
    await page
      .getByRole("status")
      .filter({ hasText: /^O servidor não respondeu\.$/ })
      .first()
      .waitFor();
    await page.getByText("Atualizado").first().waitFor();
    await status(page, "Aceita e não lida", "sent").waitFor();
    await page.unroute(/\/messages\?/);
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await status(page, "Aceita e não lida", "read").waitFor();
    expect(await own(page, "Aceita e não lida").count()).toBe(1);
  });

  it("does not render the messages while it is typed", async () => {
    const { page } = await dashboard().visit(null);
    // Each rendered message formats its time.
    await page.addInitScript(`
      const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format");
      globalThis.formatted = [];
      Object.defineProperty(Intl.DateTimeFormat.prototype, "format", {
        get() {
          const format = get.call(this);
          return (date) => {
            formatted.push(Number(date));
            return format(date);
          };
        },
      });
    `);
    await page.goto(chat);
    await page.getByRole("article").first().waitFor();
    await field(page).pressSequentially("E");
    await page.getByRole("button", { name: "Enviar", exact: true }).waitFor();
    const oldest = Date.parse(String(await page.locator("article time").first().getAttribute("datetime")));
    const rendered = async () => Number(await page.evaluate(`formatted.filter((time) => time === ${oldest}).length`));
    const before = await rendered();
    const typed = "m vinte e tantas letras";
    await field(page).pressSequentially(typed);
    expect([before > 0, (await rendered()) - before < typed.length]).toEqual([true, true]);
    await field(page).fill("");
  });

  it.each(["{", "null", '{"user":1,"chats":{"a":null}}', "blocked"])("starts empty if the browser's storage is %s", async (kept) => {
    const { page } = await dashboard().visit(null);
    const block = 'Storage.prototype.getItem = Storage.prototype.setItem = () => { throw new DOMException("", "SecurityError"); }';
    await page.addInitScript(kept === "blocked" ? block : `localStorage.setItem("unsent", ${JSON.stringify(kept)})`);
    await page.goto(chat);
    await field(page).fill("Um começo");
    expect(await field(page).inputValue()).toBe("Um começo");
    await field(page).fill("");
  });

  it("does not replace what another tab has written meanwhile", async () => {
    const { page } = await dashboard().visit(chat);
    await field(page).fill("Desta aba");
    // The page does not hear of this change, as of one in the same moment.
    await page.evaluate(`
      const kept = JSON.parse(localStorage.getItem("unsent"));
      kept.chats["outra conversa"] = { text: "Da outra aba", outgoing: [] };
      localStorage.setItem("unsent", JSON.stringify(kept));
    `);
    await field(page).fill("Desta aba também");
    const kept = String(await page.evaluate('localStorage.getItem("unsent")'));
    expect([kept.includes("Desta aba também"), kept.includes("Da outra aba")]).toEqual([true, true]);
    await field(page).fill("");
  });

  it("is kept if a page from before a deployment stored it", async () => {
    const { page } = await dashboard().visit(chat);
    await field(page).fill("De antes");
    await page.evaluate(`
      const kept = JSON.parse(localStorage.getItem("unsent"));
      const refused = { code: "new_chat_refused", status: 403, details: null, requestId: null, retryAfter: null };
      const text = { message_id: "ANTES", click: "ANTES", text: "Recusada antes", quoted: null, at: new Date().toISOString() };
      for (const chat of Object.values(kept.chats)) chat.outgoing = [{ ...text, refused, accepted: null }];
      localStorage.setItem("unsent", JSON.stringify({ ...kept, format: 2 }));
    `);
    await page.reload();
    await status(page, "Recusada antes", "failed").waitFor();
    expect(await field(page).inputValue()).toBe("De antes");
    await below(page, "Recusada antes", "Descartar").click();
    await own(page, "Recusada antes").waitFor({ state: "detached" });
    await field(page).fill("");
  });

  it("is sent by the list of chats after its page was closed", async () => {
    const { page, context } = await dashboard().visit(chat);
    await holdSends(page);
    await write(page, "Fechada cedo");
    await status(page, "Fechada cedo", "pending").waitFor();
    await page.getByRole("link", { name: /enviando: Fechada cedo/ }).waitFor();
    const next = await context.newPage();
    await page.close();
    await next.goto(`${dashboard().url}/connections/${loja.id}/chats`);
    await eventually("the text at the contact", PATIENT_MS, async () => (await received()).includes("Fechada cedo"));
  });

  it("is not stored again by an answer that comes after the sign-out", async () => {
    const guest = await dashboard().newUser(`saida-${crypto.randomUUID()}@example.com`);
    await ok(loja.owner.call("POST", `/connections/${loja.id}/shares`, { email: guest, role: "operator" }), 201);
    const { page, trouble } = await dashboard().visit(chat, { as: guest });
    trouble.expect(/401/);
    const release = await holdSends(page);
    await write(page, "Um segredo enviado");
    await status(page, "Um segredo enviado", "pending").waitFor();
    await field(page).fill("Um segredo meio escrito");
    // With 204 the page stays, as it does for a moment until the next one replaces it.
    const left = page.waitForRequest(/\/sign-in\?out=yes/);
    await page.route(/\/sign-in\?out=yes/, (route) => route.fulfill({ status: 204 }));
    await page.getByRole("button", { name: /: Conta e preferências$/ }).click();
    await page.getByRole("button", { name: "Sair" }).click();
    await left;
    const answered = page.waitForResponse((response) => response.request().method() === "POST" && response.url().endsWith("/messages"));
    release();
    await (await answered).finished();
    // The page has read the answer by the time of the next one.
    await page.evaluate('fetch("/api/dashboard/session").then(() => null)');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain("segredo");
  });

  it("survives the end of the tab, and is sent once by the next one, but is nowhere after signing out", async () => {
    const guest = await dashboard().newUser(`rascunho-${crypto.randomUUID()}@example.com`);
    await ok(loja.owner.call("POST", `/connections/${loja.id}/shares`, { email: guest, role: "operator" }), 201);
    const { page, context } = await dashboard().visit(chat, { as: guest });
    await holdSends(page);
    await write(page, "Enviada ao fechar");
    await status(page, "Enviada ao fechar", "pending").waitFor();
    await field(page).fill("Um segredo meio escrito");
    const url = page.url();
    const next = await context.newPage();
    await page.close();
    await next.goto(url);
    await expect.poll(() => field(next).inputValue()).toBe("Um segredo meio escrito");
    await status(next, "Enviada ao fechar", "read").waitFor();
    expect((await received()).filter((text) => text === "Enviada ao fechar").length).toBe(1);
    await next.getByRole("button", { name: /: Conta e preferências$/ }).click();
    await next.getByRole("button", { name: "Sair" }).click();
    await next.waitForURL(/sign-in/);
    expect(await next.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain("segredo");
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

  it("is sent once if the chat is left meanwhile", async () => {
    const { page } = await dashboard().visit(chat);
    const sends = sendsOf(page);
    const release = await holdSends(page);
    await write(page, "Enviada na saída");
    await status(page, "Enviada na saída", "pending").waitFor();
    await page.getByRole("link", { name: "Visão geral" }).click();
    await page.getByRole("heading", { level: 1, name: "Loja" }).waitFor();
    // A user who returns while the message is still being sent sees it.
    await page.goBack();
    await status(page, "Enviada na saída", "pending").waitFor();
    expect(await field(page).inputValue()).toBe("");
    release();
    await status(page, "Enviada na saída", "read").waitFor();
    expect([sends.keys.length, await own(page, "Enviada na saída").count()]).toEqual([1, 1]);
  });

  it("stays in the field, with the chat open, during a search for another chat", async () => {
    const { page } = await dashboard().visit(chat);
    await field(page).fill("Um rascunho");
    await page.getByRole("searchbox", { name: "Buscar conversa" }).fill("ninguém");
    await page.getByText("Nenhuma conversa com este nome ou número.").waitFor();
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(chat);
    expect(await field(page).inputValue()).toBe("Um rascunho");
    await page.getByRole("link", { name: "Conversas", exact: true }).click();
    await expect.poll(() => page.getByRole("searchbox", { name: "Buscar conversa" }).inputValue()).toBe("");
    await page.getByRole("link", { name: /Rascunho: Um rascunho/ }).waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  it("stays as it is in the search field if a letter is deleted before the list renders the search for it", async () => {
    const { page } = await dashboard().visit(null);
    await page.addInitScript(`
      const replace = history.replaceState;
      let isDone = false;
      history.replaceState = function (...given) {
        replace.apply(this, given);
        if (isDone || !String(given[2]).includes("q=Eco")) return;
        isDone = true;
        const field = document.activeElement;
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "Ec");
        field.dispatchEvent(new Event("input", { bubbles: true }));
      };
    `);
    await page.goto(`/connections/${loja.id}/chats?q=Ec`);
    const search = page.getByRole("searchbox", { name: "Buscar conversa" });
    await search.press("End");
    await search.press("o");
    await expect.poll(() => search.inputValue()).toBe("Ec");
    await page.waitForURL(/q=Ec$/);
    expect(await search.inputValue()).toBe("Ec");
  });

  it("gets an emoji where it was edited, by mouse and by keyboard", async () => {
    const { page } = await dashboard().visit(chat);
    await field(page).fill("Bom dia, Eco");
    await field(page).evaluate((text) => (text as HTMLTextAreaElement).setSelectionRange(7, 7));
    const button = page.getByRole("button", { name: "Emojis" });
    await button.press("Enter");
    const emojis = page.getByRole("dialog", { name: "Emojis" });
    await emojis.getByRole("button", { name: "👍", exact: true }).waitFor();
    expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    for (const key of ["Tab", "ArrowRight", "ArrowDown", "ArrowLeft", "Enter", "Escape"]) await page.keyboard.press(key);
    await emojis.waitFor({ state: "hidden" });
    expect(await field(page).inputValue()).toBe("Bom dia🙂, Eco");
    await button.click();
    await emojis.getByRole("button", { name: "👍", exact: true }).click();
    await page.keyboard.type("!");
    expect(await field(page).inputValue()).toBe("Bom dia🙂👍!, Eco");
    // Only devices with a mouse have the button.
    const { page: phone } = await dashboard().visit(chat, { phone: true });
    await phone.getByRole("button", { name: "Anexar" }).waitFor();
    expect(await phone.getByRole("button", { name: "Emojis" }).count()).toBe(0);
    await field(page).fill("");
  });

  it("is restored above newer text, on request, if its send is uncertain", async () => {
    const { page, trouble } = await dashboard().visit(chat);
    trouble.expect(/424/);
    for (const text of ["Incerta um", "Incerta dois"]) {
      await ok(phones(dashboard().ready).call("POST", "/faults", { phone: loja.phone, kind: "lose_send" }));
      await field(page).fill(text);
      await field(page).press("Enter");
      await page.getByRole("region", { name: "Confira antes de enviar de novo" }).filter({ hasText: text }).waitFor();
    }
    // On a small phone, the notices leave the field in sight.
    await page.setViewportSize({ width: 360, height: 640 });
    const foot = async () => {
      const { y = 640, height = 0 } = (await field(page).boundingBox()) ?? {};
      return y + height;
    };
    await expect.poll(foot).toBeLessThanOrEqual(640);
    expect(await sidewaysScroll(page)).toBe(0);
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
      (await phones(dashboard().ready).inbox(contact)).some((record) => record["type"] === "voice" && record["from"] === loja.phone),
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
    const { page, trouble } = await dashboard().visit(`/connections/${loja.id}/chats`);
    await page.getByRole("main").locator(`a[href*="${contact}"]`).click();
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
    const { page, context } = await dashboard().visit(chat);
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

  it("is sent in order with the others, and with its reason it stays with the rest if it fails", async () => {
    const { page, trouble } = await dashboard().visit(chat);
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
    const { page } = await dashboard().visit(chat);
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

it("a message that came while another page was open is in the chat on return", async () => {
  const { page } = await dashboard().visit(chat);
  await page.getByRole("article").first().waitFor();
  await leave(page);
  await arrived("Enquanto isso");
  await page.goBack();
  await expect.poll(() => page.getByRole("article").filter({ hasText: "Enquanto isso" }).count()).toBe(1);
});

it("a chat that the phone marked as unread is read once it is opened", async () => {
  const { page } = await dashboard().visit(null);
  await page.route(/\/api\/.+\/chats\/[^/]+c\.us$/, async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { data: { ...data, unread_count: 0, marked_unread: true } } });
  });
  const seen: string[] = [];
  page.on("request", (request) => request.url().endsWith("/seen") && seen.push(request.method()));
  // The mark is reported once, although the chat is read again afterwards.
  const readAgain = page.waitForResponse((response) => seen.length > 0 && /\/chats\/[^/]+c\.us$/.test(new URL(response.url()).pathname));
  await page.goto(chat);
  await readAgain;
  await page.waitForLoadState("networkidle");
  expect(seen).toEqual(["POST"]);
});

it("the page says only after three seconds that it reconnects, and does not move before", async () => {
  const { page } = await dashboard().visit(null);
  await page.route(`**/connections/${loja.id}/stream*`, (route) =>
    route.fulfill({ contentType: "text/event-stream", body: "retry: 600000\n\n" }),
  );
  await page.goto(chat);
  const line = page.getByText("Reconectando…");
  await line.waitFor({ state: "attached" });
  const after = (ms: number) =>
    line.evaluate((element, time) => {
      const [animation] = element.getAnimations();
      animation?.pause();
      if (animation !== undefined) animation.currentTime = time;
      const { position, visibility } = getComputedStyle(element);
      return [position, visibility];
    }, ms);
  expect(await after(2_999)).toEqual(["absolute", "hidden"]);
  expect(await after(3_000)).toEqual(["static", "visible"]);
});

it("a message that came after the page's first reads, but before its stream opened, is shown", async () => {
  const { page } = await dashboard().visit(null);
  let arrival: Promise<unknown> | undefined;
  await page.route(`**/connections/${loja.id}/stream*`, async (route) => {
    await page.getByRole("article").first().waitFor();
    await (arrival ??= arrived("Antes do começo"));
    return route.continue();
  });
  await page.goto(chat);
  await expect.poll(() => page.getByRole("article").filter({ hasText: "Antes do começo" }).count()).toBe(1);
});

it("a message that came while the stream was disconnected is shown when it is back", async () => {
  const { page } = await dashboard().visit(null);
  let opened = 0;
  await page.route(`**/connections/${loja.id}/stream*`, async (route) => {
    opened += 1;
    if (opened === 1) return route.fulfill({ contentType: "text/event-stream", body: "retry: 200\n\n" });
    // No event id exists yet, so nothing is repeated.
    if (opened === 2) {
      await page.getByRole("article").first().waitFor();
      await arrived("No escuro");
    }
    return route.continue();
  });
  await page.goto(chat);
  await expect.poll(() => page.getByRole("article").filter({ hasText: "No escuro" }).count()).toBe(1);
});
