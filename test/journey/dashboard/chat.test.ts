// A shop's chat on a phone: an old message is found, read in place, starred and forwarded; a file is pasted.
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { finger } from "../../support/dashboard/finger.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";

const SHOP = "5511900000396";
const ANA = "5511933960001";
const BIA = "5511933960002";
const DEALER = "5511900000397";
const CAIO = "5511933960003";
/** The number of later messages, which fill more than one page. */
const LATER = 105;

const dashboard = useDashboard();

const bubble = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });

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
