// Texts are sent in order and once: slow responses, lost connections, other chats and refusals do not affect them. Messages that arrive
// meanwhile are shown.
import { describe, expect, it } from "vitest";
import { phones } from "#root/test/support/clients.ts";
import { axeViolations, sidewaysScroll } from "#root/test/support/dashboard/axe.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { ok } from "#root/test/support/replies.ts";
import { announced, below, field, holdSends, isSend, leave, own, PATIENT_MS, sendsOf, status, useShopChat, write } from "./shop-chat.ts";

const { dashboard, shop, contact, chat, received } = useShopChat();

/** Sends a message from the contact, and waits until it is stored. */
async function arrived(text: string): Promise<void> {
  await ok(phones(dashboard().ready).send(contact(), { chat_id: shop().phone, text }));
  await eventually("the message is stored", PATIENT_MS, async () => {
    const { body } = await shop().owner.call("GET", `/connections/${shop().id}/chats/${contact()}@c.us/messages`);
    return (body.data as { text: string | null }[]).some((message) => message.text === text);
  });
}

describe("text that is written in a chat", () => {
  it("is sent in order, one at a time, while the field takes the next texts", async () => {
    const { page } = await dashboard().visit(chat());
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
    const { page, trouble } = await dashboard().visit(chat());
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
    const undo = page.getByRole("button", { name: "Desfazer" });
    // The notice does not cover the field.
    const notice = await undo.evaluate((element) => element.getBoundingClientRect().bottom);
    expect(notice).toBeLessThan(await field(page).evaluate((element) => element.getBoundingClientRect().top));
    await undo.click();
    await status(page, "Recusada dois", "failed").waitFor();
    await below(page, "Recusada dois", "Descartar").click();
    await own(page, "Recusada dois").waitFor({ state: "detached" });
    expect((await received()).filter((text) => text.startsWith("Recusada"))).toEqual(["Recusada um"]);
  });

  it("is not offered for a retry while the network blocks the chat, and stays above later messages", async () => {
    const { page, trouble } = await dashboard().visit(chat());
    trouble.expect(/423/);
    await page.route(
      "**/messages",
      (route) => route.fulfill({ status: 423, json: { error: { code: "temporarily_blocked", message: "Blocked", details: null } } }),
      { times: 1 },
    );
    await write(page, "Bloqueada um");
    await status(page, "Bloqueada um", "failed").waitFor();
    expect((await own(page, "Bloqueada um").textContent())?.match(/risco/g)).toHaveLength(1);
    await below(page, "Bloqueada um", "Descartar").waitFor();
    expect(await below(page, "Bloqueada um", "Tentar de novo").count()).toBe(0);
    await write(page, "Bloqueada dois");
    await status(page, "Bloqueada dois", "read").waitFor();
    expect(await own(page, "Bloqueada").allTextContents()).toMatchObject([/um/, /dois/].map((each) => expect.stringMatching(each)));
    await below(page, "Bloqueada um", "Descartar").click();
    await own(page, "Bloqueada um").waitFor({ state: "detached" });
  });

  it("is one message with one key if its send had no response", async () => {
    const { page, trouble } = await dashboard().visit(chat());
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
    const { page, context, trouble } = await dashboard().visit(chat());
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
    const { page } = await dashboard().visit(chat());
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
    await page.goto(chat());
    await field(page).waitFor();
    await write(page, "Antes das outras");
    await status(page, "Antes das outras", "sent").waitFor();
    await page.unroute(/\/messages\?/);
    // The page reads the messages again by itself.
    await status(page, "Antes das outras", "read").waitFor();
    expect(await own(page, "Antes das outras").count()).toBe(1);
  });

  it("stays after it was accepted until its stored message is read", async () => {
    // A retry needs a text of its own, because the chat still shows the earlier one.
    const text = `Aceita e não lida ${Date.now()}`;
    const { page, trouble } = await dashboard().visit(chat());
    trouble.expect(/500/);
    await page.getByRole("log").waitFor();
    const read = Promise.withResolvers<void>();
    await page.route(/\/messages\?/, async (route) => {
      await route.fulfill({ status: 500, json: {} });
      read.resolve();
    });
    await write(page, text);
    await status(page, text, "sent").waitFor();
    await read.promise;
    // Says that the messages are old, after all retries of the read.
    // Screen readers would otherwise announce each change of the age.
    await page
      .getByRole("status")
      .filter({ hasText: /^O servidor não respondeu\.$/ })
      .first()
      .waitFor();
    await page.getByText("Atualizado").first().waitFor();
    await status(page, text, "sent").waitFor();
    await page.unroute(/\/messages\?/);
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await status(page, text, "read").waitFor();
    expect(await own(page, text).count()).toBe(1);
  });

  it("is sent by the list of chats after its page was closed", async () => {
    const { page, context } = await dashboard().visit(chat());
    await holdSends(page);
    await write(page, "Fechada cedo");
    await status(page, "Fechada cedo", "pending").waitFor();
    await page.getByRole("link", { name: /enviando: Fechada cedo/ }).waitFor();
    const next = await context.newPage();
    await page.close();
    await next.goto(`${dashboard().url}/connections/${shop().id}/chats`);
    await eventually("the text at the contact", PATIENT_MS, async () => (await received()).includes("Fechada cedo"));
  });

  it("is sent once if the chat is left meanwhile", async () => {
    const { page } = await dashboard().visit(chat());
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

  it("gets an emoji where it was edited, by mouse and by keyboard", async () => {
    const { page } = await dashboard().visit(chat());
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
    const { page: phone } = await dashboard().visit(chat(), { phone: true });
    await phone.getByRole("button", { name: "Anexar" }).waitFor();
    expect(await phone.getByRole("button", { name: "Emojis" }).count()).toBe(0);
    await field(page).fill("");
  });

  it("is restored above newer text, on request, if its send is uncertain", async () => {
    const { page, trouble } = await dashboard().visit(chat());
    trouble.expect(/424/);
    for (const text of ["Incerta um", "Incerta dois"]) {
      await ok(phones(dashboard().ready).call("POST", "/faults", { phone: shop().phone, kind: "lose_send" }));
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

it("a message that came while another page was open is in the chat on return", async () => {
  const { page } = await dashboard().visit(chat());
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
  await page.goto(chat());
  await readAgain;
  await page.waitForLoadState("networkidle");
  expect(seen).toEqual(["POST"]);
});

it("the page says only after three seconds that it reconnects, and does not move before", async () => {
  const { page } = await dashboard().visit(null);
  await page.route(`**/connections/${shop().id}/stream*`, (route) =>
    route.fulfill({ contentType: "text/event-stream", body: "retry: 600000\n\n" }),
  );
  await page.goto(chat());
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
  const [{ page }, watcher] = [await dashboard().visit(null), await dashboard().visit(chat())];
  const shownOn = (where: typeof page) => where.getByRole("article").filter({ hasText: "Antes do começo" });
  let arrival: Promise<unknown> | undefined;
  await page.route(`**/connections/${shop().id}/stream*`, async (route) => {
    await page.getByRole("article").first().waitFor();
    await (arrival ??= arrived("Antes do começo"));
    // Its event has then been sent to all open streams.
    await shownOn(watcher.page).first().waitFor();
    return route.continue();
  });
  await page.goto(chat());
  await expect.poll(() => shownOn(page).count()).toBe(1);
});

it("a message that came while the stream was disconnected is shown when it is back", async () => {
  const { page } = await dashboard().visit(null);
  let opened = 0;
  await page.route(`**/connections/${shop().id}/stream*`, async (route) => {
    opened += 1;
    if (opened === 1) return route.fulfill({ contentType: "text/event-stream", body: "retry: 200\n\n" });
    // No event id exists yet, so nothing is repeated.
    if (opened === 2) {
      await page.getByRole("article").first().waitFor();
      await arrived("No escuro");
    }
    return route.continue();
  });
  await page.goto(chat());
  await expect.poll(() => page.getByRole("article").filter({ hasText: "No escuro" }).count()).toBe(1);
});

it("a chat that another device pins or unpins is shown so in the open list", async () => {
  const { page } = await dashboard().visit(`/connections/${shop().id}/chats`);
  const pin = page.getByRole("link", { name: /fixada/ });
  await page
    .getByRole("link", { name: /Olá, Eco|Eco/ })
    .first()
    .waitFor();
  expect(await pin.count()).toBe(0);
  await ok(shop().api.call("POST", `/chats/${contact()}@c.us/pin`));
  await pin.waitFor();
  await ok(shop().api.call("POST", `/chats/${contact()}@c.us/unpin`));
  await pin.waitFor({ state: "detached" });
});
