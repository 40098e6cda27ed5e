// A draft is kept until it is sent or discarded: by its tab, by the other tabs of the browser, and after a reload.
import { describe, expect, it } from "vitest";
import { ok } from "#root/test/support/replies.ts";
import { below, field, holdSends, own, status, useShopChat, write } from "./shop-chat.ts";

const { dashboard, shop, chat, received } = useShopChat();

describe("a draft", () => {
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
    // The list of chats shows the draft, and with it the time of the chat's last message.
    await page.route(/\/chats\?/, (route) => route.fulfill({ json: { data: [], next_cursor: null } }));
    await page.goto(chat());
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
    await page.goto(chat());
    await field(page).fill("Um começo");
    expect(await field(page).inputValue()).toBe("Um começo");
    await field(page).fill("");
  });

  it("does not replace what another tab has written meanwhile", async () => {
    const { page } = await dashboard().visit(chat());
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
    const { page } = await dashboard().visit(chat());
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

  it("is not stored again by an answer that comes after the sign-out", async () => {
    const guest = await dashboard().newUser(`saida-${crypto.randomUUID()}@example.com`);
    await ok(shop().owner.call("POST", `/connections/${shop().id}/shares`, { email: guest, role: "operator" }), 201);
    const { page, trouble } = await dashboard().visit(chat(), { as: guest });
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
    await ok(shop().owner.call("POST", `/connections/${shop().id}/shares`, { email: guest, role: "operator" }), 201);
    const { page, context } = await dashboard().visit(chat(), { as: guest });
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
    const { page, trouble } = await dashboard().visit(chat());
    // Opening a chat marks it as read, unless the connection has just dropped.
    trouble.expect(/409.+\/seen/);
    await field(page).fill("Ainda não");
    await ok(shop().owner.call("POST", `/connections/${shop().id}/disconnect`, {}));
    const notice = page.getByRole("status").filter({ hasText: "Número desconectado" });
    await notice.waitFor();
    await field(page).pressSequentially(" enviada");
    await page.keyboard.press("Enter");
    await ok(shop().owner.call("POST", `/connections/${shop().id}/connect`, {}));
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

  it("stays in the field, with the chat open, during a search for another chat", async () => {
    const { page } = await dashboard().visit(chat());
    await field(page).fill("Um rascunho");
    await page.getByRole("searchbox", { name: "Buscar conversa" }).fill("ninguém");
    await page.getByText("Nenhuma conversa com este nome ou número.").waitFor();
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(chat());
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
    await page.goto(`/connections/${shop().id}/chats?q=Ec`);
    const search = page.getByRole("searchbox", { name: "Buscar conversa" });
    await search.press("End");
    await search.press("o");
    await expect.poll(() => search.inputValue()).toBe("Ec");
    await page.waitForURL(/q=Ec$/);
    expect(await search.inputValue()).toBe("Ec");
  });
});
