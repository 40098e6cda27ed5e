// A shop's chat: it stays at its newest message, photos fill the screen and are saved, places, contacts, formats and mentions are read, and
// actions show at once.
import type { Page, Route } from "playwright-core";
import sharp from "sharp";
import { beforeAll, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";
import { freshPhone, pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";

const dashboard = useDashboard();
const SHOP = freshPhone();
const ANA = freshPhone();
/** Texts between two photos: more than a screen. */
const BETWEEN = 12;

let shop: PairedConnection;
let chat: string;
const say = (body: Record<string, unknown>) => ok(phones(dashboard().ready).send(ANA, { chat_id: SHOP, ...body }));

/** Taller than the space that is kept for a photo that has not loaded. */
async function photo(background: string): Promise<string> {
  const image = sharp({ create: { width: 300, height: 600, channels: 3, background } });
  return (await image.jpeg().toBuffer()).toString("base64");
}

beforeAll(async () => {
  shop = await pairConnection(dashboard().ready, SHOP, { name: "Loja das fotos" });
  chat = `/connections/${shop.id}/chats/${ANA}@c.us`;
  await phones(dashboard().ready).create(ANA, "Ana");
  await say({ type: "image", caption: "Primeira", media: { base64: await photo("red"), mimetype: "image/jpeg" } });
  for (let n = 0; n < BETWEEN; n += 1) await say({ text: `linha ${n}.` });
  await say({ type: "image", media: { base64: await photo("green"), mimetype: "image/jpeg" } });
  await say({ text: "A última" });
  // Otherwise the chat opens at its first unread message.
  const read = () => shop.owner.call("GET", `/connections/${shop.id}/chats/${ANA}@c.us/messages`);
  await eventually("all messages stored", 60_000, async () => JSON.stringify((await read()).body).includes("A última"));
  await ok(shop.owner.call("POST", `/connections/${shop.id}/chats/${ANA}@c.us/seen`));
});

const bubble = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });
const log = (page: Page) => page.getByRole("log");
/** How far the newest message is below the visible part. */
const fromFoot = (page: Page) => log(page).evaluate((box) => Math.round(box.scrollHeight - box.clientHeight - box.scrollTop));
const topOf = async (page: Page, text: string) => Math.round((await bubble(page, text).boundingBox())?.y ?? Number.NaN);

/** Opens the chat. Its photos load once they are released. */
async function openWithLatePhotos(): Promise<{ page: Page; release: () => Promise<void> }> {
  const { page } = await dashboard().visit(null, { phone: true });
  const held = Promise.withResolvers<void>();
  await page.route("**/media", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(chat);
  await bubble(page, "A última").waitFor();
  const release = async () => {
    held.resolve();
    const images = page.getByRole("img", { name: "Imagem da conversa" });
    await expect.poll(() => images.evaluateAll((all) => all.map((each) => (each as HTMLImageElement).naturalWidth))).toEqual([300, 300]);
  };
  return { page, release };
}

it("a chat stays at its newest message when photos load late, and when the keyboard opens", async () => {
  const { page, release } = await openWithLatePhotos();
  await expect.poll(() => fromFoot(page)).toBe(0);
  await release();
  await expect.poll(() => fromFoot(page)).toBe(0);
  await page.setViewportSize({ width: 360, height: 420 });
  await expect.poll(async () => [await log(page).evaluate((box) => box.clientHeight < 420), await fromFoot(page)]).toEqual([true, 0]);
});

it("a reader who scrolled up is not moved by a photo, a new message or the keyboard", async () => {
  const { page, release } = await openWithLatePhotos();
  await log(page).hover();
  await page.mouse.wheel(0, -250);
  await page.getByRole("button", { name: "Ir para a mensagem mais recente" }).waitFor();
  const seen = await topOf(page, "linha 6.");
  await release();
  await say({ text: "Chegou depois" });
  await bubble(page, "Chegou depois").waitFor({ state: "attached" });
  await page.setViewportSize({ width: 360, height: 640 });
  await expect.poll(() => log(page).evaluate((box) => box.clientHeight < 640)).toBe(true);
  expect([await topOf(page, "linha 6."), (await fromFoot(page)) > 250]).toEqual([seen, true]);
  // The next one is followed again, once the reader is back.
  await page.getByRole("button", { name: "Ir para a mensagem mais recente" }).click();
  await say({ text: "E mais esta" });
  await bubble(page, "E mais esta").waitFor();
  await expect.poll(() => fromFoot(page)).toBe(0);
});

it("a photo fills the screen, leads to the other photos, is saved, and closes by Escape or Back", async () => {
  const { page } = await dashboard().visit(chat, { phone: true });
  const photos = page.getByRole("button", { name: "Imagem da conversa" });
  await photos.last().press("Enter");
  const shown = page.getByRole("dialog", { name: "Imagem ampliada" });
  await shown.getByText("2 de 2").waitFor();
  await page.keyboard.press("ArrowLeft");
  await shown.getByText("1 de 2").waitFor();
  await shown.getByText("Primeira").waitFor();
  // Nothing cuts the time off.
  expect(await shown.getByText(/^Ana · /).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
  const [saved] = await Promise.all([page.waitForEvent("download"), shown.getByRole("link", { name: "Baixar" }).click()]);
  expect(saved.suggestedFilename()).toMatch(/^Imagem \d{4}-\d\d-\d\d \d\d-\d\d\.jpg$/);
  await page.goBack();
  await shown.waitFor({ state: "detached" });
  await expect.poll(() => photos.last().evaluate((each) => each === document.activeElement)).toBe(true);
  await photos.first().click();
  await shown.getByText("1 de 2").waitFor();
  await page.keyboard.press("Escape");
  await shown.waitFor({ state: "detached" });
  expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(chat);

  // The menu of every file saves it too.
  await bubble(page, "Primeira")
    .getByRole("button", { name: /^Ações/ })
    .press("Enter");
  const [again] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Baixar arquivo" }).click()]);
  expect(again.suggestedFilename()).toBe(saved.suggestedFilename());
});

it("a place and a contact show their name once, a contact's number opens its chat, and formats are drawn", async () => {
  const { page } = await dashboard().visit(chat, { phone: true });
  await say({ type: "location", location: { latitude: -23.5, longitude: -46.6, name: "Casa da Ana", address: "Rua das Palmeiras, 123" } });
  await say({ type: "contact", contact: { full_name: "Pedro Marido", phone: SHOP } });
  await say({ text: "É *urgente* e _simples_: `PIX`" });
  await bubble(page, "É urgente e simples: PIX").getByRole("strong").getByText("urgente").waitFor();
  expect(await bubble(page, "É urgente").locator("em, code").allInnerTexts()).toEqual(["simples", "PIX"]);
  const place = bubble(page, "Casa da Ana");
  await place.getByRole("link", { name: "Abrir no mapa" }).waitFor();
  expect([await place.getByText("Casa da Ana").count(), await place.getByText("-23.5").count()]).toEqual([1, 0]);
  const contact = bubble(page, "Pedro Marido");
  await contact.getByRole("link", { name: "Conversar" }).waitFor();
  expect(await contact.getByText("Pedro Marido").count()).toBe(1);
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
  await contact.getByRole("link", { name: "Conversar" }).click();
  await expect.poll(() => decodeURIComponent(new URL(page.url()).pathname)).toBe(`/connections/${shop.id}/chats/${SHOP}@c.us`);
});

it("a poll shows who voted for what, as soon as the customer votes", async () => {
  const { page } = await dashboard().visit(chat, { phone: true });
  const poll = { kind: "poll", chat_id: `${ANA}@c.us`, question: "Qual cor?", options: ["Verde", "Azul"], selectable_count: 1 };
  const { message_id } = (await ok(shop.owner.call("POST", `/connections/${shop.id}/messages`, poll), 201)).data as { message_id: string };
  const verde = bubble(page, "Qual cor?").getByRole("listitem").filter({ hasText: "Verde" });
  await verde.waitFor();
  expect(await verde.innerText()).toBe("Verde");
  await ok(phones(dashboard().ready).call("POST", `/phones/${ANA}/vote`, { chat_id: `${SHOP}@c.us`, message_id, options: ["Verde"] }));
  await verde.getByText(/^1 voto: /).waitFor();
});

it("a star and a reaction show at once, and go again with a reason if they are refused", async () => {
  const { page, trouble } = await dashboard().visit(chat, { phone: true });
  trouble.expect(/409/);
  const last = bubble(page, "A última");
  const choose = async (name: string) => {
    await last.getByRole("button", { name: /^Ações/ }).press("Enter");
    await page.getByRole("menuitem", { name }).click();
  };
  const answered = Promise.withResolvers<void>();
  const refuse = async (route: Route) => {
    await answered.promise;
    await route.fulfill({ status: 409, json: { error: { code: "instance_not_connected", message: "" }, request_id: "r" } });
  };
  await page.route("**/star", refuse);
  await page.route("**/reaction", refuse);
  await choose("Favoritar");
  await last.getByText("favorita").waitFor({ state: "attached" });
  await last.getByRole("button", { name: /^Ações/ }).press("Enter");
  // The menu moves the focus once it is open.
  const first = page.getByRole("menuitem").first();
  await expect.poll(() => first.evaluate((item) => item === document.activeElement)).toBe(true);
  // The reactions are a row below the other items.
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  expect(await page.getByRole("menuitem", { name: "Reagir com 😢" }).evaluate((item) => item === document.activeElement)).toBe(true);
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await last.getByText("😢").waitFor();
  // A reaction that arrives meanwhile stays.
  const { data: stored } = await ok(shop.owner.call("GET", `/connections/${shop.id}/chats/${ANA}@c.us/messages`));
  const { message_id } = (stored as { message_id: string; text: string }[]).find(({ text }) => text === "A última") ?? {};
  await ok(phones(dashboard().ready).call("POST", `/phones/${ANA}/react`, { chat_id: `${SHOP}@c.us`, message_id, reaction: "👏" }));
  await last.getByText("👏").waitFor();
  answered.resolve();
  await last.getByText("😢").waitFor({ state: "detached" });
  await last.getByText("favorita").waitFor({ state: "detached" });
  await page.getByRole("status").filter({ hasText: /\S/ }).first().waitFor({ state: "attached" });
  await last.getByText("👏").waitFor();

  // An accepted one stays, and the same button removes it.
  await page.unroute("**/reaction");
  await choose("Reagir com 😂");
  await expect
    .poll(async () => JSON.stringify((await shop.owner.call("GET", `/connections/${shop.id}/chats/${ANA}@c.us/messages`)).body))
    .toContain("😂");
  await choose("Remover reação");
  await last.getByText("😂").waitFor({ state: "detached" });
});

it("the list of chats shows a document's name, who wrote last in a group, and the time of today's messages", async () => {
  await say({ type: "document", media: { base64: "JVBERi0=", mimetype: "application/pdf", filename: "Orçamento.pdf" } });
  const made = await ok<{ group_id: string }>(
    phones(dashboard().ready).call("POST", `/phones/${ANA}/groups`, { subject: "Vizinhas", participants: [SHOP] }),
    201,
  );
  await ok(phones(dashboard().ready).send(ANA, { chat_id: made.group_id, text: "Quem vai querer?" }));
  const { page } = await dashboard().visit(`/connections/${shop.id}/chats`, { phone: true });
  await page.getByRole("link", { name: /Ana.*Orçamento\.pdf/ }).waitFor();
  await page.getByRole("link", { name: /Vizinhas.*Ana: Quem vai querer\?/ }).waitFor();
  await page.getByRole("searchbox", { name: "Buscar conversa" }).fill("Quem vai");
  const found = page.getByRole("region", { name: "Mensagens com este texto" }).getByRole("link");
  await expect.poll(() => found.first().innerText()).toMatch(/^Vizinhas\s+(Ontem, )?\d\d:\d\d\s+Quem vai querer\?$/);
});

it("a group names mentioned people and those who reacted, also without marks in quotes and the list, and cuts a long text", async () => {
  const network = phones(dashboard().ready);
  const bia = freshPhone();
  await network.create(bia, "Bia");
  const { group_id: group } = await ok<{ group_id: string }>(
    network.call("POST", `/phones/${ANA}/groups`, { subject: "Quadra", participants: [SHOP, bia] }),
    201,
  );
  const post = (from: string, body: Record<string, unknown>) => ok<{ message_id: string }>(network.send(from, { chat_id: group, ...body }));
  const mentions = [bia, SHOP];
  const { message_id } = await post(ANA, { text: `*Atenção* @${bia} e @${SHOP}: quem quer _bolo_?`, mentions });
  for (const from of [ANA, bia]) await ok(network.call("POST", `/phones/${from}/react`, { chat_id: group, message_id, reaction: "👍" }));
  await post(bia, { text: Array.from({ length: 40 }, (_, n) => `ingrediente ${n}.`).join("\n"), quoted_id: message_id });
  await post(ANA, { text: `Isso, @${bia}, *bolo*`, mentions: [bia] });
  // The page does not hear of messages that are stored after its first read and before its stream is open.
  const read = () => shop.owner.call("GET", `/connections/${shop.id}/chats/${group}/messages`);
  await eventually("the last message stored", 60_000, async () => JSON.stringify((await read()).body).includes("Isso"));
  const { page } = await dashboard().visit(`/connections/${shop.id}/chats/${group}`, { phone: true });
  const plain = "Atenção @Bia e @Você: quem quer bolo?";
  await expect.poll(() => bubble(page, "Atenção").first().innerText()).toContain(plain);
  const long = bubble(page, "ingrediente 0.");
  expect((await long.getByTitle("Ir para a mensagem citada").innerText()).split(/:\s+/)).toEqual(["Ana", ...plain.split(/:\s+/)]);

  await page.getByRole("button", { name: "Reações: 👍 2" }).click();
  const reacted = page.getByRole("dialog", { name: "Reações: 👍 2" }).getByRole("listitem");
  await expect
    .poll(async () => (await reacted.allInnerTexts()).toSorted())
    .toEqual([expect.stringContaining("Ana"), expect.stringContaining("Bia")]);
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
  await page.keyboard.press("Escape");

  const more = long.getByRole("button", { name: "Ler mais" });
  const height = async () => (await long.boundingBox())?.height ?? 0;
  await more.focus();
  const [cut, top] = [await height(), await topOf(page, "ingrediente 0.")];
  await page.keyboard.press("Enter");
  await more.waitFor({ state: "detached" });
  expect([(await height()) > cut + 200, await topOf(page, "ingrediente 0.")]).toEqual([true, top]);
  expect(await long.evaluate((message) => message === document.activeElement)).toBe(true);

  await page.getByRole("link", { name: "Todas as conversas" }).click();
  await page.getByRole("link", { name: /Quadra.*Ana: Isso, @Bia, bolo/ }).waitFor();
});

it("the day of the messages at the top is shown while they are scrolled, and covers none of them afterwards", async () => {
  const { page } = await dashboard().visit(null, { phone: true });
  await page.route(/\/messages\?limit=100$/, async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = (await response.json()) as { data: { text: string | null; at: string }[] };
    const before = (at: string) => new Date(Date.parse(at) - 86_400_000).toISOString();
    const days = data.map((each) => (/^(linha|Primeira)/.test(each.text ?? "") ? { ...each, at: before(each.at) } : each));
    await route.fulfill({ response, json: { ...rest, data: days } });
  });
  await page.goto(chat);
  const day = log(page).getByText("Ontem", { exact: true });
  await day.waitFor({ state: "attached" });
  await log(page).evaluate((box) => {
    const seen: unknown[] = [];
    const look = () => seen.push(getComputedStyle(box.querySelector("[data-stuck]") ?? box).opacity);
    new MutationObserver(look).observe(box, { attributeFilter: ["data-scrolls"] });
    Object.assign(globalThis, { seen });
  });
  await log(page).hover();
  await page.mouse.wheel(0, -250);
  await expect.poll(() => page.evaluate("[seen.at(0), seen.at(-1)]")).toEqual(["1", "0"]);
  // The heading in its place stays.
  await page.mouse.wheel(0, -5_000);
  await expect
    .poll(() => day.evaluate((heading) => [heading.matches("[data-stuck]"), getComputedStyle(heading).opacity]))
    .toEqual([false, "1"]);
});

it("a drawer and a photo fill a narrow window, without a strip where its scroll bar would be", async () => {
  const { page } = await dashboard().visit(chat, { width: 390 });
  const across = async () => {
    const { x, width } = (await page.getByRole("dialog").boundingBox()) ?? {};
    return [x, width];
  };
  await page.getByRole("button", { name: "Busca, arquivos e favoritas" }).click();
  await page.getByRole("tab", { name: "Favoritas" }).waitFor();
  expect(await across()).toEqual([0, 390]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Imagem da conversa" }).first().press("Enter");
  await page.getByRole("dialog", { name: "Imagem ampliada" }).waitFor();
  expect(await across()).toEqual([0, 390]);
});

it("the microphone that replaces the send button under a still pointer shows no tooltip until the pointer moves", async () => {
  const { page } = await dashboard().visit(chat);
  const microphone = page.getByRole("button", { name: "Gravar mensagem de voz" });
  const tooltip = page.getByRole("tooltip").filter({ hasText: "Gravar mensagem de voz" });
  // A browser reports an element that appears under the pointer like this.
  await microphone.dispatchEvent("pointerover", { pointerType: "mouse" });
  expect(await tooltip.isVisible()).toBe(false);
  await microphone.hover();
  await tooltip.waitFor();

  // A scroll of the messages does not move the button.
  await log(page).dispatchEvent("scroll");
  expect(await tooltip.isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  await tooltip.waitFor({ state: "hidden" });
});

it("a reader of old messages stays with them, in the same elements, when a new message replaces the oldest one", async () => {
  const { page } = await dashboard().visit(null, { phone: true });
  // As in a chat of more than 100 messages.
  await page.route(/\/messages\?limit=100$/, async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = (await response.json()) as { data: unknown[] };
    await route.fulfill({ response, json: { ...rest, data: data.slice(0, 15) } });
  });
  await say({ text: Array.from({ length: 15 }, (_, at) => `acima ${at}.`).join("\n") });
  for (let at = 0; at < 6; at += 1) await say({ text: `abaixo ${at}\n.\n.\n.` });
  await page.goto(chat);
  await bubble(page, "abaixo 5").waitFor();
  // The chat opens at the first new message.
  await page.getByText("novas mensagens").waitFor();
  await expect.poll(() => page.evaluate("[...document.images].every((image) => image.complete)")).toBe(true);
  await expect.poll(() => fromFoot(page)).toBeGreaterThan(250);
  const oldest = await page.getByRole("article").first().getAttribute("data-message");
  const seen = await topOf(page, "abaixo 2");
  await page.evaluate("document.querySelector('[role=log] section').planted = true");
  await say({ text: "Ainda uma" });
  await bubble(page, "Ainda uma").waitFor({ state: "attached" });
  expect(await page.getByRole("article").first().getAttribute("data-message")).not.toBe(oldest);
  expect([await topOf(page, "abaixo 2"), await page.evaluate("document.querySelector('[role=log] section').planted")]).toEqual([
    seen,
    true,
  ]);
  // Ends the reads that the route still answers.
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

it("the list of chats says that the last message was deleted, and the line above new messages goes once they are answered", async () => {
  const { page } = await dashboard().visit(null);
  await page.route(/\/api\/.+\/chats\/[^/]+c\.us$/, async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { data: { ...data, unread_count: 2 } } });
  });
  await page.goto(chat);
  const line = page.getByText("2 novas mensagens");
  await line.waitFor();
  await page.getByRole("textbox", { name: "Escreva uma mensagem" }).fill("Foi engano");
  await page.keyboard.press("Enter");
  await line.waitFor({ state: "detached" });
  const own = bubble(page, "Foi engano");
  await own.locator("[data-status=delivered], [data-status=read]").waitFor();
  await own.getByRole("button", { name: /^Ações/ }).press("Enter");
  await page.getByRole("menuitem", { name: "Apagar para todos" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apagar para todos" }).click();
  await page.getByRole("link", { name: /Ana.*Você: Mensagem apagada/ }).waitFor();
  expect(await line.count()).toBe(0);
  // Ends the reads that the route still answers.
  await page.unrouteAll({ behavior: "wait" });
});

/** A contact of its own, whose chat is read. `says` returns the id of the message that the contact sent. */
async function customer(name: string) {
  const phone = freshPhone();
  const network = phones(dashboard().ready);
  await network.create(phone, name);
  const says = async (body: Record<string, unknown>) => {
    const { message_id } = await ok<{ message_id: string }>(network.send(phone, { chat_id: SHOP, ...body }));
    return message_id;
  };
  const path = `/connections/${shop.id}/chats/${phone}@c.us`;
  /** Resolves when the text, which the contact sent last, is stored. */
  const isStored = async (text: string) => {
    await eventually(`${text} stored`, 60_000, async () =>
      JSON.stringify((await shop.owner.call("GET", `${path}/messages`)).body).includes(text),
    );
    await ok(shop.owner.call("POST", `${path}/seen`));
  };
  return { says, path, isStored };
}

const drawn = (page: Page, images: string) =>
  page.locator(images).evaluateAll((all) => all.map((each) => (each as HTMLImageElement).naturalWidth));

async function swipe(page: Page, from: number, to: number, y = 400): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x) => ({ x, y })) });
  await touch("touchStart", from);
  await touch("touchMove", (from + to) / 2);
  await touch("touchMove", to);
  await touch("touchEnd");
}

it("a quote of a photo shows a small picture of it, and a quote of another file its icon with its name or length", async () => {
  const { says, path, isStored } = await customer("Rita");
  const picture = await says({ type: "image", media: { base64: await photo("blue"), mimetype: "image/jpeg" } });
  const file = await says({ type: "document", media: { base64: "JVBERi0=", mimetype: "application/pdf", filename: "Tabela.pdf" } });
  const voice = await says({ type: "voice", media: { base64: "b2k=", mimetype: "audio/ogg; codecs=opus" } });
  await says({ text: "Quero esta", quoted_id: picture });
  await says({ text: "Veja a tabela", quoted_id: file });
  await says({ text: "Ouviu?", quoted_id: voice });
  await isStored("Ouviu?");
  const { page } = await dashboard().visit(path, { phone: true });
  await expect.poll(() => drawn(page, "blockquote img")).toEqual([300]);
  const quoteIn = (text: string) => bubble(page, text).getByTitle("Ir para a mensagem citada");
  await expect.poll(() => quoteIn("Veja a tabela").innerText()).toBe("Tabela.pdf");
  await expect.poll(() => quoteIn("Ouviu?").innerText()).toMatch(/^Mensagem de voz/);
  expect(await quoteIn("Ouviu?").locator("svg").count()).toBe(1);
  // The answer is written below the same picture.
  await page
    .getByRole("article")
    .first()
    .getByRole("button", { name: /^Ações/ })
    .press("Enter");
  await page.getByRole("menuitem", { name: "Responder" }).press("Enter");
  await expect.poll(() => drawn(page, "blockquote img")).toEqual([300, 300]);
  await page.getByText("Respondendo a Rita").waitFor();
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);

  // A finger that goes far enough to the right answers too.
  await bubble(page, "Quero esta").scrollIntoViewIfNeeded();
  const { y = 0, height = 0 } = (await bubble(page, "Quero esta").boundingBox()) ?? {};
  const answered = page.locator("blockquote").last();
  await swipe(page, 60, 100, y + height / 2);
  expect(await answered.innerText()).toBe("Imagem");
  await swipe(page, 60, 160, y + height / 2);
  await expect.poll(() => answered.innerText()).toBe("Quero esta");
  expect(await bubble(page, "Quero esta").evaluate((message) => message.firstElementChild?.getAttribute("style"))).not.toMatch(/translate/);

  // The photo is too old to be on the page.
  const { page: later } = await dashboard().visit(null, { phone: true });
  await later.route(/\/messages\?limit=100$/, async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: { message_id: string }[] };
    await route.fulfill({ response, json: { data: data.filter(({ message_id }) => message_id !== picture), next_cursor: null } });
  });
  await later.goto(path);
  await expect.poll(() => drawn(later, "blockquote img")).toEqual([300]);
  // Ends the reads that the route still answers.
  await later.unrouteAll({ behavior: "wait" });
});

it("photos that a person sent in a row are an album, whose tiles open the photos, and which can be shown one by one", async () => {
  const { says, path, isStored } = await customer("Nina");
  const colours = ["red", "green", "blue", "black", "white", "gray"];
  const ids: string[] = [];
  for (const [place, colour] of colours.entries()) {
    const caption = place === 0 ? { caption: "Todos os modelos" } : {};
    ids.push(await says({ type: "image", ...caption, media: { base64: await photo(colour), mimetype: "image/jpeg" } }));
  }
  await says({ text: "O cinza acabou", quoted_id: ids.at(-1) });
  await isStored("O cinza acabou");
  const { page } = await dashboard().visit(path, { phone: true });
  const album = page.getByRole("list", { name: "6 imagens" });
  await expect.poll(() => drawn(page, "article li img")).toEqual([300, 300, 300, 300]);
  const tiles = album.getByRole("button");
  expect([await tiles.count(), await tiles.last().innerText()]).toEqual([4, "+2"]);
  await bubble(page, "Todos os modelos").getByRole("list", { name: "6 imagens" }).waitFor();
  const { width, height } = (await album.boundingBox()) ?? {};
  expect(Math.abs((width ?? 0) - (height ?? 1))).toBeLessThan(1);
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);

  // A tile opens its photo, from which the next ones are reached, and which can be answered.
  await tiles.last().press("Enter");
  const shown = page.getByRole("dialog", { name: "Imagem ampliada" });
  await shown.getByText("4 de 6").waitFor();
  await page.keyboard.press("ArrowRight");
  await shown.getByText("5 de 6").waitFor();
  await swipe(page, 300, 60);
  await shown.getByText("6 de 6").waitFor();
  await swipe(page, 60, 300);
  await shown.getByText("5 de 6").waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await shown.getByRole("button", { name: "Responder" }).click();
  await shown.waitFor({ state: "detached" });
  const field = page.getByRole("textbox", { name: "Escreva uma mensagem" });
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  await field.fill("O branco tem");
  const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/messages"));
  await page.getByRole("button", { name: "Enviar", exact: true }).click();
  expect((await sent).postDataJSON()).toMatchObject({ quoted_message_id: ids.at(4) });

  // A quote leads to a photo that has no tile.
  await bubble(page, "O cinza acabou").getByTitle("Ir para a mensagem citada").click();
  const last = page.locator(`[data-message="${ids.at(-1)}"]`);
  await expect.poll(() => last.evaluate((message) => message === document.activeElement)).toBe(true);
  await album.waitFor({ state: "detached" });

  await page.reload();
  await bubble(page, "Todos os modelos")
    .getByRole("button", { name: /^Ações/ })
    .press("Enter");
  await page.getByRole("menuitem", { name: "Mostrar uma a uma" }).press("Enter");
  await album.waitFor({ state: "detached" });
  const first = page.locator(`[data-message="${ids[0]}"]`);
  await expect.poll(() => first.evaluate((message) => message === document.activeElement)).toBe(true);
  await expect.poll(() => page.getByRole("img", { name: "Imagem da conversa" }).count()).toBe(6);
});
