// Chats in a real browser: sent messages reach the phone, replies arrive without a reload, and uncertain sends are never repeated.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, person, phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { paced } from "../../support/dashboard/paced.ts";
import { eventually } from "../../support/eventually.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";

const dashboard = useDashboard(["--no-limits"]);
const PATIENT_MS = 60_000;
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

let receiver: Receiver;
let chat: string;
let number: string;
let contact: string;
beforeAll(async () => {
  receiver = await Receiver.start();
  const { demo } = dashboard().ready;
  contact = demo.contact?.phone ?? "";
  number = demo.connection.phone ?? "";
  chat = `/connections/${demo.connection.id}/chats/${contact}@c.us`;
  const { call } = await person(dashboard().ready);
  await ok(call("PUT", `/connections/${demo.connection.id}/webhook`, { url: receiver.url }), 201);
  await ok(customer(dashboard().ready).text(contact, "Olá, Eco"));
});
afterAll(async () => receiver.stop());

const field = (page: Page) => page.getByRole("textbox", { name: "Escreva uma mensagem" });
const bubble = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });
const own = (page: Page, text: string) => bubble(page, text).filter({ hasText: "pelo painel" });

async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.getByRole("button", { name: "Enviar", exact: true }).click();
}

/** Counts the page's send requests. */
function countSends(page: Page): { count: number } {
  const sends = { count: 0 };
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/messages")) sends.count += 1;
  });
  return sends;
}

const inbox = async (text: string) =>
  (await phones(dashboard().ready).inbox(contact)).filter((record) => record["text"] === text && record["from_me"] === false);

describe("a chat", () => {
  it("shows a message to the contact as sent, then read, and the echo, without a reload", async () => {
    const { page } = await dashboard().visit(chat);
    await page.evaluate(() => Object.assign(globalThis, { planted: true }));
    await write(page, "Bom dia do painel");
    await own(page, "Bom dia do painel").waitFor();
    await own(page, "Bom dia do painel").locator("[data-status=read]").waitFor();
    await bubble(page, "Bom dia do painel").nth(1).waitFor();
    // No action on the page requests this message.
    await ok(phones(dashboard().ready).send(contact, { chat_id: number, text: "E daí?" }));
    await bubble(page, "E daí?").waitFor();
    expect(await page.evaluate(() => "planted" in globalThis)).toBe(true);
    await expect.poll(() => field(page).inputValue()).toBe("");
    // Once loaded, the list makes no requests, so only the stream can deliver the message.
    await page.getByRole("link", { name: "Conversas", exact: true }).click();
    await field(page).waitFor({ state: "detached" });
    await page.getByRole("main").getByText("E daí?").waitFor();
    await ok(phones(dashboard().ready).send(contact, { chat_id: number, text: "Chegou sozinha" }));
    await page.getByRole("main").getByText("Chegou sozinha").waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it("shows messages that arrive in the middle of 20 messages a second", async () => {
    const network = phones(dashboard().ready);
    const crowd = "5511933500001";
    await network.create(crowd, "Multidão");
    const { page } = await dashboard().visit(chat);
    await bubble(page, "Olá, Eco").first().waitFor();
    const texts = Array.from({ length: 120 }, (_, n) => `muitos ${n}`);
    const shown = new AbortController();
    const sendAll = () => paced(texts, 50, (text) => ok(network.send(crowd, { chat_id: number, text })));
    const flood = async () => {
      do await sendAll();
      while (!shown.signal.aborted);
    };
    const lookForIt = async () => {
      await ok(network.send(contact, { chat_id: number, text: "No meio de tudo" }));
      // The other messages continue, however long this takes.
      await bubble(page, "No meio de tudo").waitFor();
    };
    await Promise.all([flood(), lookForIt().finally(() => shown.abort())]);
  });

  it("sends a picture, a document, a place, a contact and a poll", async () => {
    const { page } = await dashboard().visit(chat);
    const attach = async (item: string) => {
      await page.getByRole("button", { name: "Anexar" }).click();
      return page.getByRole("menuitem", { name: item }).click();
    };
    const file = { name: "ponto.png", mimeType: "image/png", buffer: PNG };
    await page.getByLabel("Imagens ou vídeos").setInputFiles(file);
    await page.getByLabel("Legenda").fill("Um ponto");
    await page.getByRole("dialog").getByRole("button", { name: "Enviar" }).click();
    const picture = own(page, "Um ponto").getByRole("img", { name: "Imagem da conversa" });
    await picture.waitFor();
    await eventually("the picture is drawn", PATIENT_MS, () =>
      picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0),
    );
    expect(await picture.getAttribute("src")).toMatch(/^\/api\/dashboard\/connections\/\d+\/chats\/.+\/media$/);

    await page.getByLabel("Documento").setInputFiles({ name: "contrato.txt", mimeType: "text/plain", buffer: Buffer.from("Contrato") });
    await page.getByRole("dialog").getByRole("button", { name: "Enviar" }).click();
    await own(page, "contrato.txt").waitFor();

    await attach("Localização");
    const place = page.getByLabel("Link do mapa ou latitude e longitude");
    await place.fill("aqui");
    await page.getByRole("dialog").getByRole("button", { name: "Enviar" }).click();
    await page.getByText("Digite coordenadas como").waitFor();
    await page.context().grantPermissions(["geolocation"]);
    await page.context().setGeolocation({ latitude: -23.5614, longitude: -46.6559 });
    await page.getByRole("button", { name: "Usar minha localização" }).click();
    await expect.poll(() => place.inputValue()).toBe("-23.561400, -46.655900");
    await page.getByLabel("Nome do lugar").fill("MASP");
    await page.getByRole("dialog").getByRole("button", { name: "Enviar" }).click();
    await own(page, "MASP").waitFor();

    await attach("Contato");
    await page.getByLabel("Nome", { exact: true }).fill("Dona Marta");
    await page.getByLabel("Número com DDD").fill("(11) 97777-0001");
    expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    await page.getByRole("dialog").getByRole("button", { name: "Enviar" }).click();
    await own(page, "Dona Marta").getByText("+55 11 97777-0001").waitFor();

    await attach("Enquete");
    await page.getByLabel("Pergunta").fill("Qual dia?");
    await page.getByLabel("Opções").fill("Terça\nQuinta");
    await page.getByRole("dialog").getByRole("button", { name: "Enviar" }).click();
    await own(page, "Qual dia?").waitFor();
    const seen = await eventually("all five at the phone", PATIENT_MS, async () => {
      const types = (await phones(dashboard().ready).inbox(contact)).map((record) => record["type"] as string);
      return ["image", "document", "location", "contact", "poll"].every((type) => types.includes(type)) && types;
    });
    expect(seen).toEqual(expect.arrayContaining(["image", "document", "location", "contact", "poll"]));
  });

  it("takes replies and reactions, and starts a chat only with a number that is on the network", async () => {
    const { page } = await dashboard().visit(chat);
    await write(page, "Responda aqui");
    await own(page, "Responda aqui").locator("[data-status=read]").waitFor();
    const echo = bubble(page, "Responda aqui").nth(1);
    await echo.getByRole("button", { name: /^Ações da mensagem/ }).click();
    await page.getByRole("menuitem", { name: "Reagir com 👍" }).click();
    await echo.getByText("👍").waitFor();
    await echo.getByRole("button", { name: /^Ações da mensagem/ }).click();
    await page.getByRole("menuitem", { name: "Responder" }).click();
    await write(page, "Esta é a resposta");
    await own(page, "Esta é a resposta").locator("blockquote", { hasText: "Responda aqui" }).waitFor();

    await page.getByRole("button", { name: "Nova conversa" }).click();
    await page.getByLabel("Número com DDD").fill("+55 11 97777-0000");
    await page.getByRole("button", { name: "Verificar e abrir" }).click();
    await page.getByText("Este número não tem WhatsApp.").waitFor();
    await page.getByLabel("Número com DDD").fill(`+${contact}`);
    await page.getByRole("button", { name: "Verificar e abrir" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(chat);
  });

  it("sends with the source dashboard, which message.sent contains", async () => {
    const { page } = await dashboard().visit(chat);
    await write(page, "De onde veio isto?");
    const { body } = await receiver.waitFor(
      "message.sent",
      PATIENT_MS,
      ({ type, data }) => type === "message.sent" && data.text === "De onde veio isto?",
    );
    expect((JSON.parse(body) as { data: { source: string } }).data.source).toBe("dashboard");
  });

  it("never repeats an uncertain message by itself, and offers a check first", async () => {
    const { page, trouble } = await dashboard().visit(chat);
    trouble.expect(/424/);
    const sends = countSends(page);
    await ok(phones(dashboard().ready).call("POST", "/faults", { phone: number, kind: "lose_send" }));
    await write(page, "Talvez tenha saído");
    const notice = page.getByRole("region", { name: "Confira antes de enviar de novo" });
    await notice.getByText("Talvez tenha saído").waitFor();
    expect(await field(page).inputValue()).toBe("");
    await notice.getByRole("button", { name: "Conferir" }).click();
    await notice.getByText("Ainda não sabemos.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    // Returning to the stream and the chat must not send the message.
    await page.getByRole("link", { name: "Visão geral" }).click();
    await page.getByRole("heading", { level: 1, name: "Demo" }).waitFor();
    await page.goBack();
    await own(page, "Talvez tenha saído").locator("[data-status=pending]").waitFor();
    expect([sends.count, (await inbox("Talvez tenha saído")).length]).toEqual([1, 0]);
  });

  it("restores an uncertain text only on request", async () => {
    const { page, trouble } = await dashboard().visit(chat);
    trouble.expect(/424/);
    const sends = countSends(page);
    await ok(phones(dashboard().ready).call("POST", "/faults", { phone: number, kind: "lose_send" }));
    await write(page, "Mais uma");
    await page.getByRole("button", { name: "Recuperar texto" }).click();
    expect([await field(page).inputValue(), sends.count]).toEqual(["Mais uma", 1]);
    await page.getByRole("button", { name: "Enviar", exact: true }).click();
    await own(page, "Mais uma").locator("[data-status=read]").waitFor();
    expect([sends.count, (await inbox("Mais uma")).length]).toEqual([2, 1]);
  });

  it("counts 65,536 characters as code points", async () => {
    const { page } = await dashboard().visit(chat);
    const sends = countSends(page);
    await field(page).fill("😀".repeat(65_537));
    await page.locator("#send-hint", { hasText: "65537 de 65536 caracteres: encurte o texto para enviar." }).waitFor();
    await field(page).press("Enter");
    expect(sends.count).toBe(0);
    await field(page).fill("😀".repeat(65_536));
    await field(page).press("Enter");
    const arrived = await eventually("all of it at the phone", PATIENT_MS, async () =>
      (await phones(dashboard().ready).inbox(contact)).find((record) => [...String(record["text"])].length === 65_536),
    );
    expect(arrived["text"]).toBe("😀".repeat(65_536));
    expect(sends.count).toBe(1);
  });

  it("is visible to a viewer, who cannot write", async () => {
    const { ready } = dashboard();
    const { call } = await person(ready);
    const guestEmail = await dashboard().newUser(`leitora-${crypto.randomUUID()}@example.com`);
    await ok(call("POST", `/connections/${ready.demo.connection.id}/shares`, { email: guestEmail, role: "viewer" }), 201);
    const { page } = await dashboard().visit(chat, { as: guestEmail });
    await bubble(page, "Olá, Eco").first().waitFor();
    await page.getByText("Você só tem acesso de leitura.").waitFor();
    expect(await field(page).count()).toBe(0);
    const guest = await person(ready, guestEmail);
    const refused = await guest.call("POST", `/connections/${ready.demo.connection.id}/messages`, {
      kind: "text",
      chat_id: `${contact}@c.us`,
      text: "Não",
    });
    expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"]);
    expect(await axeViolations(page)).toEqual([]);
  });

  it("shows no @lid as a phone, in either language", async () => {
    const path = `/connections/${dashboard().ready.demo.connection.id}/chats/123456789012345@lid`;
    for (const [language, title] of [
      ["pt", "Número oculto"],
      ["en", "Hidden number"],
    ] as const) {
      const { page } = await dashboard().visit(path, { language });
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      expect(await page.locator("main").innerText()).not.toContain("123456789012345");
    }
  });

  it.each([
    ["a phone", 390, 844],
    ["a phone on its side", 844, 390],
    ["a laptop at 200 %", 640, 400],
  ])("fits the screen of %s: head, messages and field are inside the window", async (_what, width, height) => {
    const { page } = await dashboard().visit(null, { phone: true });
    await page.setViewportSize({ width, height });
    await page.goto(chat);
    await bubble(page, "Olá, Eco").first().waitFor();
    const inside = async (what: Locator) => {
      const box = await what.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= height;
    };
    expect(await inside(page.getByRole("heading", { level: 1 }))).toBe(true);
    expect(await page.getByRole("main").locator("header").boundingBox()).toMatchObject({ x: 0, y: 0, width });
    expect(await inside(field(page))).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollHeight <= innerHeight")).toBe(true);
    expect(await page.getByRole("navigation").filter({ visible: true }).count()).toBe(0);
    // In the same row, the microphone becomes the send button.
    const [attach, microphone] = [
      page.getByRole("button", { name: "Anexar" }),
      page.getByRole("button", { name: "Gravar mensagem de voz" }),
    ];
    const middle = async (what: Locator) => {
      const box = await what.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0) / 2;
    };
    expect(Math.abs((await middle(attach)) - (await middle(microphone)))).toBeLessThan(2);
    await field(page).fill("Um rascunho");
    await page.getByRole("button", { name: "Enviar", exact: true }).waitFor();
    expect(await microphone.count()).toBe(0);
    // The list shows the unsent draft, which is still there.
    await page.getByRole("link", { name: "Todas as conversas" }).click();
    await page.getByRole("link", { name: /Rascunho: Um rascunho/ }).click();
    await expect.poll(() => field(page).inputValue()).toBe("Um rascunho");
  });

  it("loads a long history near its edge, keeps the scroll position, and marks new messages", async () => {
    // A number that no other attempt uses.
    const many = `55119${String(Date.now()).slice(-8)}`;
    const network = phones(dashboard().ready);
    await network.create(many, `Muitas ${many}`);
    const texts = Array.from({ length: 205 }, (_, n) => `linha ${n}.`);
    await paced(texts, 20, (text) => ok(network.send(many, { chat_id: number, text })));
    const path = `/connections/${dashboard().ready.demo.connection.id}/chats`;
    const { page } = await dashboard().visit(path);
    await page.getByRole("link", { name: new RegExp(`Muitas ${many}.*205 não lidas`) }).click();
    // The first page holds 100 of the 205; the marker precedes the first new one that is loaded.
    await page.getByText("205 novas mensagens").waitFor();
    const thread = page.getByRole("log");
    await eventually("all of it without a click", PATIENT_MS, async () => {
      await thread.evaluate((box) => ((box as unknown as { scrollTop: number }).scrollTop -= 2_000));
      return (await page.getByRole("article").count()) === 205;
    });
    await bubble(page, "linha 0.").first().waitFor();
    await page.getByRole("button", { name: "Ir para a mensagem mais recente" }).click();
    await expect.poll(() => bubble(page, "linha 204.").isVisible()).toBe(true);

    // Older messages that are wanted meanwhile do not replace the read of a new message.
    const { page: next, trouble } = await dashboard().visit(null);
    const streams = next.waitForResponse(/\/stream/);
    await next.goto(`${path}/${many}@c.us`);
    await streams;
    await expect.poll(() => bubble(next, "linha 204.").isVisible()).toBe(true);
    // Otherwise the messages are read once more after this call.
    trouble.expect(/409/);
    const refused = { error: { code: "instance_not_connected", message: "" }, request_id: "r" };
    await next.route("**/seen", (route) => route.fulfill({ status: 409, json: refused }));
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await next.route(/\/messages\?limit=100$/, async (route) => {
      asked.resolve();
      await released.promise;
      await route.continue();
    });
    await ok(network.send(many, { chat_id: number, text: "No meio da leitura" }));
    await asked.promise;
    await next.getByRole("log").evaluate((box) => ((box as unknown as { scrollTop: number }).scrollTop = 0));
    // The page's observers are called once per frame.
    await next.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    released.resolve();
    await bubble(next, "No meio da leitura").waitFor({ state: "attached" });
  });

  it("fits a phone of 320 pixels, where list and thread are a page each", async () => {
    const { page } = await dashboard().visit(chat, { phone: true, language: "en", theme: "dark" });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole("textbox", { name: "Write a message" }).waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "All chats" }).click();
    await page.getByRole("heading", { level: 1, name: "Chats" }).waitFor();
    await ok(phones(dashboard().ready).send(contact, { chat_id: number, text: "😀".repeat(200) }));
    await page.getByRole("link", { name: /😀.* unread/ }).waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });
});
