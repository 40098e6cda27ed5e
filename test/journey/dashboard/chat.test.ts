// A shop's chat on a phone: an old message is found, read in place, starred and forwarded; a file is pasted; the people of a chat.
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";
import { freshPhone, pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";
import { JPEG } from "../../support/sample-files.ts";

const SHOP = "5511900000396";
const ANA = "5511933960001";
const BIA = "5511933960002";
const DEALER = "5511900000397";
const CAIO = "5511933960003";
/** The number of later messages, which fill more than one page. */
const LATER = 105;

const dashboard = useDashboard();

const bubble = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });

/** A real finger on the middle of what is shown, because the browser closes menus when it lifts. */
async function finger(page: Page, on: Locator) {
  const { x = 0, y = 0, width = 0, height = 0 } = (await on.boundingBox()) ?? {};
  const session = await page.context().newCDPSession(page);
  return (type: "touchStart" | "touchEnd") =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [{ x: x + width / 2, y: y + height / 2 }],
    });
}

const isOnScreen = (message: Locator) =>
  message.evaluate((shown) => {
    const [{ top }, box] = [shown.getBoundingClientRect(), shown.closest("[role=log]")?.getBoundingClientRect()];
    return box !== undefined && top >= box.top && top < box.bottom;
  });

it("a chat finds, shows, stars and forwards an old message, and sends pasted content", async () => {
  const shop = await pairConnection(dashboard().ready, SHOP, { name: "Loja da busca" });
  const network = phones(dashboard().ready);
  await network.create(ANA, "Ana");
  await network.create(BIA, "Bia");
  const say = (from: string, text: string) => ok(network.send(from, { chat_id: SHOP, text }));
  await say(ANA, "O preço do bolo é https://loja.example/bolo?");
  await Promise.all(Array.from({ length: LATER }, (_, n) => say(ANA, `depois ${n}`)));
  await say(BIA, "Tem bolo de preço bom?");

  const { page } = await dashboard().visit(`/connections/${shop.id}/chats`, { phone: true });
  // Opens the message from the list of all chats; it is older than the first page.
  await page.getByRole("searchbox", { name: "Buscar conversa" }).fill("preço do bolo");
  await page.getByRole("region", { name: "Mensagens com este texto" }).getByRole("link").click();
  const old = bubble(page, "O preço do bolo").first();
  await old.waitFor();
  await expect.poll(() => old.evaluate((shown) => shown === document.activeElement)).toBe(true);
  expect(await old.getByRole("link").getAttribute("href")).toBe("https://loja.example/bolo");
  await expect.poll(() => new URL(page.url()).searchParams.has("at")).toBe(false);

  // A long press opens the menu. The reply quotes the message, and clicking the quote scrolls back to it.
  const touch = await finger(page, old.getByText("O preço do bolo"));
  await touch("touchStart");
  await page.getByRole("menuitem", { name: "Favoritar" }).waitFor();
  await touch("touchEnd");
  await page.getByRole("menuitem", { name: "Favoritar" }).click();
  await old.getByText("favorita").waitFor({ state: "attached" });
  await old.getByRole("button", { name: /Ações/ }).press("Enter");
  await page.getByRole("menuitem", { name: "Responder" }).click();
  // A phone's keyboard has no Shift+Enter, so its Return key starts a new line.
  const field = page.getByRole("textbox", { name: "Escreva uma mensagem" });
  await field.fill("Custa");
  await field.press("Enter");
  await field.pressSequentially("30 reais");
  expect(await field.inputValue()).toBe("Custa\n30 reais");
  await page.getByRole("button", { name: "Enviar", exact: true }).click();
  await bubble(page, "Custa 30 reais").getByTitle("Ir para a mensagem citada").click();
  await expect.poll(() => old.evaluate((shown) => shown === document.activeElement)).toBe(true);
  await expect.poll(() => new URL(page.url()).searchParams.has("at")).toBe(false);
  await expect.poll(() => isOnScreen(old)).toBe(true);

  // Opens this chat's starred messages and forwards one to Bia.
  await page.getByRole("button", { name: "Busca, arquivos e favoritas" }).click();
  await page.getByRole("tab", { name: "Favoritas" }).click();
  await page.getByRole("dialog").getByText("O preço do bolo").waitFor();
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
  await page.getByRole("dialog").getByText("O preço do bolo").click();
  await expect.poll(() => new URL(page.url()).searchParams.has("at")).toBe(false);
  await expect.poll(() => isOnScreen(old)).toBe(true);
  await old.getByRole("button", { name: /Ações/ }).press("Enter");
  await page.getByRole("menuitem", { name: "Encaminhar" }).click();
  const search = page.getByRole("dialog").getByRole("searchbox");
  await search.waitFor();
  expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByRole("dialog").getByRole("button", { name: "Encaminhar" }).click();
  await page.getByText("Escolha uma conversa.").waitFor();
  // The dialog says what is forwarded. Enter in its search chooses the chat that was found, and the next one forwards.
  await page.getByRole("dialog").getByText("O preço do bolo").waitFor();
  await search.fill("Bia");
  const chosen = page.getByRole("checkbox", { name: "Bia" });
  await expect.poll(() => page.getByRole("dialog").getByRole("checkbox").count()).toBe(1);
  await search.press("Enter");
  expect(await chosen.isChecked()).toBe(true);
  expect(await axeViolations(page)).toEqual([]);
  await search.press("Enter");
  await page.getByText("Mensagem encaminhada.").first().waitFor();
  await expect
    .poll(async () => (await network.inbox(BIA)).some(({ text, forwarded }) => /preço do bolo/.test(String(text)) && forwarded !== false))
    .toBe(true);

  // A pasted picture is sent like a chosen one, and appears in the gallery.
  await page.getByRole("textbox", { name: "Escreva uma mensagem" }).evaluate(async (field) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 40 });
    canvas.getContext("2d")?.fillRect(4, 4, 20, 20);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    const data = new DataTransfer();
    data.items.add(new File([blob ?? ""], "colada.png", { type: "image/png" }));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await page.getByRole("dialog", { name: "Enviar colada.png" }).getByRole("button", { name: "Enviar" }).click();
  await page.getByRole("img", { name: "Imagem da conversa" }).waitFor();
  await page.getByRole("button", { name: "Busca, arquivos e favoritas" }).click();
  await page.getByRole("tab", { name: "Arquivos" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Ir para:/ })
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Todas as conversas" }).click();
  await page.getByRole("searchbox", { name: "Buscar conversa" }).fill("");
  await page.getByRole("link", { name: /Ana.*Você: Imagem/ }).waitFor();
});

it("a chat shows the preview of a link in received and own messages", async () => {
  const shop = await pairConnection(dashboard().ready, DEALER, { name: "Loja dos links" });
  const network = phones(dashboard().ready);
  await network.create(CAIO, "Caio");
  const url = "https://loja.example/bolo";
  const red = await sharp({ create: { width: 96, height: 96, channels: 3, background: "red" } })
    .jpeg()
    .toBuffer();
  const link_preview = { url, title: "Bolo de cenoura", description: "Com cobertura", thumbnail: red.toString("base64") };
  await ok(network.send(CAIO, { chat_id: DEALER, text: `Tem este? ${url}`, link_preview }));
  const answer = { to: CAIO, text: `Tem: ${url}`, preview: { url, title: "Nosso bolo" } };
  await ok(shop.api.call("POST", "/messages/text", answer));

  const { page } = await dashboard().visit(`/connections/${shop.id}/chats/${CAIO}@c.us`, { phone: true });
  const theirs = bubble(page, "Tem este?").getByRole("link", { name: /^Bolo de cenoura/ });
  const ours = bubble(page, "Tem:").getByRole("link", { name: /^Nosso bolo/ });
  for (const card of [theirs, ours]) {
    await card.getByText("loja.example", { exact: true }).waitFor();
    expect(await Promise.all(["href", "target", "rel"].map((name) => card.getAttribute(name)))).toEqual([
      url,
      "_blank",
      "noopener noreferrer",
    ]);
  }
  const picture = theirs.locator("img");
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(96);
  expect(await ours.locator("img").count()).toBe(0);
  expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
});

describe("the people of a chat", () => {
  const [us, ana, bia] = [freshPhone(), freshPhone(), freshPhone()];
  let shop: PairedConnection;
  let network: ReturnType<typeof phones>;
  let group: string;
  beforeAll(async () => {
    shop = await pairConnection(dashboard().ready, us, { name: "Loja das pessoas" });
    network = phones(dashboard().ready);
    await Promise.all([network.create(ana, "Ana Ávila"), network.create(bia, "Bia Brito")]);
    const made = { subject: "Quadra de vôlei", participants: [us, bia] };
    group = (await ok<{ group_id: string }>(network.call("POST", `/phones/${ana}/groups`, made), 201)).group_id;
    await ok(network.send(ana, { chat_id: us, text: "Bom dia" }));
    await ok(network.send(bia, { chat_id: us, text: "Boa tarde" }));
    await ok(network.send(ana, { chat_id: group, text: "Quem joga?" }));
    await eventually("all chats stored", 60_000, async () => {
      const { body } = await shop.owner.call("GET", `/connections/${shop.id}/chats`);
      return (body.data as unknown[]).length === 3;
    });
  });

  it("the palette opens a chat by a part of its name or number", async () => {
    const { page } = await dashboard().visit(`/connections/${shop.id}/settings`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const open = async (typed: string, label: RegExp) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Contato, conexão, página, ação ou ID" }).fill(typed);
      await page.getByRole("option", { name: label, selected: true }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press("Enter");
    };
    await open("avila", /^Ana Ávila.*conversa$/);
    await page.waitForURL(`**/chats/${ana}*c.us`);
    await open("volei", /^Quadra de vôlei.*grupo$/);
    await page.waitForURL(`**/chats/${group.replace("@", "*")}`);
    // The end of a number, as people write it.
    await open(`${bia.slice(-8, -4)}-${bia.slice(-4)}`, /^Bia Brito/);
    await page.waitForURL(`**/chats/${bia}*c.us`);
  });

  it("the head of a chat opens a contact's photo, number and about text, and a group's members", async () => {
    await network.call("POST", `/phones/${ana}/picture`, { base64: JPEG.toString("base64") });
    await network.call("PATCH", `/phones/${ana}`, { about: "na praia" });
    const { page, context, trouble } = await dashboard().visit(`/connections/${shop.id}/chats/${ana}@c.us`, { phone: true });
    // The group has no picture.
    trouble.expect(/404.+picture/);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Dados do contato" }).click();
    const info = page.getByRole("dialog", { name: "Dados do contato" });
    await info.getByText("na praia").waitFor();
    const photo = info.getByRole("img", { name: "Foto do perfil" });
    await expect.poll(() => photo.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    await info.getByRole("button", { name: "Copiar número" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`+${ana}`);
    expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    // The links lead to the search in this chat, at the right tab.
    await info.getByRole("button", { name: "Favoritas" }).click();
    await page.getByRole("tab", { name: "Favoritas", selected: true }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Dados do contato");

    await page.goto(`/connections/${shop.id}/chats/${group}`);
    await page.getByRole("button", { name: "Dados do grupo" }).click();
    const members = page.getByRole("region", { name: "3 membros" }).getByRole("listitem");
    await expect
      .poll(() => members.allInnerTexts())
      .toEqual([expect.stringContaining("Você"), expect.stringMatching(/Ana Ávila[^]*admin/), expect.stringContaining("Bia Brito")]);
    expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    await members.getByRole("link", { name: /Bia Brito/ }).click();
    await page.waitForURL(`**/chats/${bia}*c.us`);
    await page.getByRole("heading", { name: "Bia Brito" }).waitFor();
  });

  it("the menu of a chat pins, archives, mutes and marks it as unread, also by a long press", async () => {
    const { page } = await dashboard().visit(`/connections/${shop.id}/chats`, { phone: true });
    const list = page.getByRole("region", { name: "Lista de conversas" });
    const names = async () => (await list.getByRole("link").allInnerTexts()).map((text) => /Ana|Bia|Quadra/.exec(text)?.[0]);
    const row = (name: string) => list.getByRole("link", { name: new RegExp(`^${name}`) });
    const choose = async (who: string, item: string) => {
      await list.getByRole("button", { name: `Menu da conversa: ${who}` }).press("Enter");
      await page.getByRole("menuitem", { name: item, exact: true }).press("Enter");
    };
    await list.getByRole("button", { name: "Menu da conversa: Bia Brito" }).waitFor();
    await ok(network.send(bia, { chat_id: us, text: "Boa noite" }));
    await row("Bia").getByText("Boa noite").waitFor();
    const touch = await finger(page, row("Bia"));
    await touch("touchStart");
    await page.getByRole("menuitem", { name: "Fixar" }).waitFor();
    await touch("touchEnd");
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Fixar" }).click();
    await row("Bia").getByText("fixada").waitFor({ state: "attached" });
    await expect.poll(async () => (await names())[0]).toBe("Bia");

    await choose("Bia Brito", "Marcar como lida");
    await row("Bia").getByText("não lida").waitFor({ state: "detached" });
    await choose("Bia Brito", "Marcar como não lida");
    await row("Bia").getByText("marcada como não lida").waitFor({ state: "attached" });

    await choose("Ana Ávila", "Arquivar");
    await row("Ana").waitFor({ state: "detached" });
    await page.reload();
    await list.getByRole("button", { name: "Arquivadas" }).click();
    await row("Ana").waitFor();
    expect([await names(), await axeViolations(page), await sidewaysScroll(page)]).toEqual([["Ana"], [], 0]);
    await choose("Ana Ávila", "Desarquivar");
    await page.getByText("Nenhuma conversa arquivada.").waitFor();
    await list.getByRole("button", { name: "Arquivadas" }).click();
    await row("Ana").waitFor();

    // The list and the menu in the head of the open chat say whether the chat is muted.
    const head = page.getByRole("button", { name: "Menu da conversa: Ana Ávila" });
    await row("Ana").click();
    await page.getByRole("heading", { name: "Ana Ávila" }).waitFor();
    await head.click();
    await page.getByRole("menuitem", { name: "Silenciar por 8 horas" }).click();
    await page.getByText("Conversa silenciada.").first().waitFor();
    expect((await shop.api.get(`/chats/${ana}@c.us`)).body.data.muted_until).not.toBe(null);
    await page.getByRole("link", { name: "Todas as conversas" }).click();
    await row("Ana").getByText("silenciada").waitFor({ state: "attached" });
    await choose("Ana Ávila", "Reativar notificações");
    await row("Ana").getByText("silenciada").waitFor({ state: "detached" });
  });

  it("an @ in a group offers the members, and the chosen one is mentioned", async () => {
    const { page } = await dashboard().visit(`/connections/${shop.id}/chats/${group}`);
    const field = page.getByRole("textbox", { name: "Escreva uma mensagem" });
    await field.pressSequentially("Oi @b");
    await page.getByRole("option", { name: /Bia Brito/, selected: true }).waitFor();
    expect([await page.getByRole("option").count(), await axeViolations(page)]).toEqual([1, []]);
    await field.press("Enter");
    expect(await field.inputValue()).toBe("Oi @Bia Brito ");
    await field.pressSequentially("e @");
    await page.getByRole("option", { name: /Ana Ávila/, selected: true }).waitFor();
    await field.press("ArrowDown");
    await page.getByRole("option", { name: /Bia Brito/, selected: true }).waitFor();
    await field.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    // A phone's owner taps the name. The text survives a reload.
    await field.pressSequentially("a");
    await page.getByRole("option", { name: /Ana Ávila/ }).waitFor({ state: "detached" });
    await field.press("Backspace");
    await field.press("Backspace");
    await field.pressSequentially("@av");
    await page.getByRole("option", { name: /Ana Ávila/ }).click();
    await page.reload();
    expect(await field.inputValue()).toBe("Oi @Bia Brito e @Ana Ávila ");
    await field.press("End");
    await field.pressSequentially("!");
    await field.press("Enter");
    // The group uses LIDs, also in the text.
    const got = async () => (await network.inbox(bia)).find(({ text }) => /^Oi @\d+ e @\d+ !$/.test(String(text)));
    await expect.poll(async () => (await got())?.["mentions"]).toEqual([bia, ana]);
    await bubble(page, "Oi @Bia Brito e @Ana Ávila !").waitFor();
  });

  it("the head of a chat shows who is typing, if a program has subscribed to it", async () => {
    await ok(shop.api.call("POST", `/chats/${ana}@c.us/presence/subscribe`));
    const { page } = await dashboard().visit(`/connections/${shop.id}/chats/${ana}@c.us`, { phone: true });
    await page.getByRole("heading", { name: "Ana Ávila" }).waitFor();
    const say = (presence: string) =>
      network.call("POST", `/phones/${ana}/presence`, { presence, ...(presence === "typing" && { chat_id: us }) });
    await expect
      .poll(async () => {
        await say("online");
        await say("typing");
        return page.getByText("digitando…").count();
      })
      .toBe(1);
    await say("offline");
    await page.getByText("digitando…").waitFor({ state: "detached" });
  });
});
