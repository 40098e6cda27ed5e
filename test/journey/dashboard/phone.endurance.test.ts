// The simulated phones page in a real browser, with the gateway on the other side.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { networkProcess } from "../../support/bridge/network-process.ts";
import { openBrowser } from "../../support/browser.ts";
import { phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { Trouble } from "../../support/dashboard/browser-trouble.ts";
import { Dashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { PNG, sha256 } from "../../support/sample-files.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const [LOJA, BIA, CAIO, DUDA, ENZO] = ["5511933000001", "5511933000002", "5511933000003", "5511933000004", "5511933000005"];
const WAIT_MS = 60_000;

let sandbox: SharedSandbox;
let browser: Browser;
let store: PairedConnection;
let network: ReturnType<typeof phones>;
let trouble = new Trouble();

beforeAll(async () => {
  [sandbox, browser] = await Promise.all([borrowSandbox(), openBrowser()]);
  network = phones(sandbox.ready());
  for (const [phone, name] of [
    [BIA, "Bia"],
    [CAIO, "Caio"],
    [DUDA, "Duda"],
    [ENZO, "Enzo"],
  ] as const) {
    await network.create(phone, name);
  }
  store = await pairConnection(sandbox.ready(), LOJA, { name: "Loja" });
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  const { found } = trouble;
  trouble = new Trouble();
  expect(found).toEqual([]);
});
afterAll(async () => {
  await browser.close();
  await sandbox.dispose();
});

type Look = { language?: "pt" | "en"; theme?: "light" | "dark"; width?: number };

/** The page on one screen of a phone. */
async function hold(
  phone: string,
  screen = "chats",
  { language = "pt", theme = "light", width = 1280 }: Look = {},
  url = sandbox.ready().network_url ?? "",
): Promise<Page> {
  const context = await browser.newContext({
    locale: language === "pt" ? "pt-BR" : "en-US",
    colorScheme: theme,
    viewport: { width, height: width < 600 ? 740 : 900 },
    isMobile: width < 600,
    hasTouch: width < 600,
    reducedMotion: "reduce",
    permissions: ["microphone"],
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  trouble.watch(page, url);
  await page.goto(`${url}/#/${phone}/${screen}`);
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  return page;
}

const chatWith = (phone: string): string => `chat/${phone}@c.us`;
const bubble = (page: Page, text: string): Locator => page.locator("[data-message]").filter({ hasText: text });
const write = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("textbox", { name: "Mensagem" }).fill(text);
  await page.keyboard.press("Enter");
};
/** Opens a message's actions. */
const act = async (page: Page, text: string, action: string | RegExp): Promise<void> => {
  const message = bubble(page, text);
  await message.hover();
  await message.getByRole("button", { name: /^Ações da mensagem/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: action }).click();
};
/** A Connection API call that must succeed; returns the response body. */
async function gateway(method: string, path: string, json?: object): Promise<any> {
  const { status, body } = await store.api.call(method, path, json);
  expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBeLessThan(300);
  return body;
}
const statusOf = async (id: string): Promise<string> => (await gateway("GET", `/messages/${id}`)).data.status;
/** The gateway's messages of a chat. */
const messagesAt = async (chat: string): Promise<any[]> => (await gateway("GET", `/chats/${encodeURIComponent(chat)}/messages`)).data;
const atGateway = (chat: string, meant: (message: any) => boolean): Promise<any> =>
  eventually(`a message at the gateway`, WAIT_MS, async () => (await messagesAt(chat)).find(meant));

describe("a simulated phone", () => {
  it("shows incoming chats with their unread count, and reports an opened one as read to the gateway", async () => {
    const page = await hold(BIA);
    await page.getByText("Nenhuma conversa ainda.").waitFor();
    const { message_id: id } = await gateway("POST", "/messages/text", { to: BIA, text: "Seu pedido saiu." });
    const row = page.getByRole("link", { name: /Loja.*Seu pedido saiu\./ });
    await row.getByText("1 mensagem não lida").waitFor();
    await page.getByRole("link", { name: /Conversas.*1 mensagem não lida/ }).waitFor();
    await eventually("delivered", WAIT_MS, async () => (await statusOf(id)) === "delivered");
    await row.click();
    await bubble(page, "Seu pedido saiu.").waitFor();
    await eventually("read", WAIT_MS, async () => (await statusOf(id)) === "read");
    await page.getByRole("link", { name: "Voltar" }).click();
    await row.waitFor();
    await expect.poll(() => page.getByText("1 mensagem não lida").count()).toBe(0);
  });

  it("writes: ticks become delivered and read, the gateway has the text, and its answer follows 'digitando…'", async () => {
    const page = await hold(BIA, chatWith(LOJA));
    await write(page, "Quando chega?");
    const own = bubble(page, "Quando chega?");
    await own.getByRole("img", { name: "entregue" }).waitFor();
    const { message_id } = await atGateway(BIA, ({ text }) => text === "Quando chega?");
    await gateway("POST", `/chats/${BIA}/seen`, {});
    await own.getByRole("img", { name: "lida" }).waitFor();
    // The response arrives once the typing is over.
    const typing = gateway("POST", `/chats/${BIA}/typing`, { state: "typing", duration_ms: 5000 });
    await page.getByText("digitando…").waitFor();
    await typing;
    await gateway("POST", "/messages/text", { to: BIA, text: "Amanhã cedo.", quoted_message_id: message_id });
    const answer = bubble(page, "Amanhã cedo.");
    await answer.waitFor();
    await gateway("PUT", `/chats/${BIA}/messages/${message_id}/reaction`, { reaction: "👍" });
    await own.getByText("👍").waitFor();
    expect(await answer.getByText("Você: Quando chega?").count()).toBe(1);
  });

  it("reacts, replies, edits and deletes, by clicks and by the keyboard alone", async () => {
    await gateway("POST", "/messages/text", { to: BIA, text: "Gostou da loja?" });
    const page = await hold(BIA, chatWith(LOJA));
    await act(page, "Gostou da loja?", "Reagir com ❤️");
    await bubble(page, "Gostou da loja?").getByText("❤️").waitFor();
    await atGateway(BIA, ({ text, reactions }) => text === "Gostou da loja?" && reactions.some((one: any) => one.reaction === "❤️"));
    await page.getByRole("textbox", { name: "Mensagem" }).fill("Já escrito");
    await act(page, "Gostou da loja?", "Responder");
    await page.getByText("Respondendo a Loja").waitFor();
    expect(await page.getByRole("textbox", { name: "Mensagem" }).inputValue()).toBe("Já escrito");
    await write(page, "Muito!");
    await bubble(page, "Muito!").getByText("Loja: Gostou da loja?").waitFor();
    await atGateway(BIA, ({ text, quoted }) => text === "Muito!" && quoted?.text === "Gostou da loja?");

    await bubble(page, "Muito!").getByRole("button").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Editar" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Editando", { exact: true }).waitFor();
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Muito mesmo!");
    await page.keyboard.press("Enter");
    await bubble(page, "Muito mesmo!").getByText("editada").waitFor();
    await atGateway(BIA, ({ text }) => text === "Muito mesmo!");
    await act(page, "Muito mesmo!", "Apagar para todos");
    await bubble(page, "Mensagem apagada").waitFor();
    await eventually("deleted at the gateway", WAIT_MS, async () => (await messagesAt(BIA)).every(({ text }) => text !== "Muito mesmo!"));
    expect(await page.getByText("Muito mesmo!").count()).toBe(0);
  });

  it("sends and shows pictures, and documents for saving", async () => {
    const page = await hold(BIA, chatWith(LOJA));
    await page.getByRole("button", { name: "Anexar" }).click();
    await page.getByLabel("Foto ou vídeo").setInputFiles({ name: "vitrine.png", mimeType: "image/png", buffer: PNG });
    await page.getByLabel("Legenda").fill("A vitrine");
    await page.getByRole("dialog").getByRole("button", { name: "Enviar" }).click();
    await bubble(page, "A vitrine").getByRole("img", { name: "entregue" }).waitFor();
    const picture = await atGateway(BIA, ({ text }) => text === "A vitrine");
    expect(picture).toMatchObject({ type: "image", media: { mimetype: "image/png", size: PNG.length } });

    const media = { base64: PNG.toString("base64"), mimetype: "image/png" };
    await gateway("POST", "/messages/image", { to: BIA, media, caption: "O mapa" });
    const shown = bubble(page, "O mapa");
    await shown.getByRole("button", { name: /^Ampliar/ }).click();
    const large = page.getByRole("dialog").getByRole("img", { name: "O mapa" });
    await eventually("the picture is drawn", WAIT_MS, () => large.evaluate((image) => (image as HTMLImageElement).naturalWidth === 1));
    await page.keyboard.press("Escape");

    const text = { base64: Buffer.from("dois pães").toString("base64"), mimetype: "text/plain", filename: "pedido.txt" };
    await gateway("POST", "/messages/document", { to: BIA, media: text });
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /^Baixar pedido\.txt/ }).click()]);
    expect(download.suggestedFilename()).toBe("pedido.txt");
  });

  it("records a voice message, which the other phone plays, and shows that it was played", async () => {
    const page = await hold(BIA, chatWith(LOJA));
    const other = await hold(LOJA, chatWith(BIA));
    await page.getByRole("button", { name: "Gravar mensagem de voz" }).click();
    await page.getByText(/Gravando 0:(0[2-9]|[1-5]\d)/).waitFor();
    await other.getByText("gravando áudio…").waitFor();
    await page.getByRole("button", { name: "Enviar gravação" }).click();
    const sent = page.getByRole("group", { name: "Mensagem de voz" }).last();
    await sent.waitFor();
    expect(await atGateway(BIA, ({ type }) => type === "voice")).toMatchObject({ media: { duration_seconds: expect.any(Number) } });
    await other.getByRole("group", { name: "Mensagem de voz" }).last().getByRole("button", { name: "Reproduzir" }).click();
    await page.getByRole("img", { name: "reproduzida" }).waitFor();
    await eventually("it plays", WAIT_MS, () =>
      other
        .locator("audio")
        .last()
        .evaluate((sound) => (sound as HTMLAudioElement).currentTime > 0),
    );
  });

  it("rings, answers and hangs up, and shows a call that the gateway's number declines by the API", async () => {
    const page = await hold(BIA, chatWith(CAIO));
    const other = await hold(CAIO);
    await page.getByRole("button", { name: "Ligar", exact: true }).click();
    const ringing = page.getByRole("alertdialog", { name: "Ligando para Caio" });
    await ringing.waitFor();
    const incoming = other.getByRole("alertdialog", { name: "Bia está ligando" });
    await incoming.getByRole("button", { name: "Atender" }).click();
    await page.getByRole("alertdialog", { name: "Em ligação com Caio" }).waitFor();
    await other.getByRole("alertdialog", { name: "Em ligação com Bia" }).getByRole("button", { name: "Desligar" }).click();
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    await page.goto(`${sandbox.ready().network_url}/#/${BIA}/calls`);
    await page.getByText("feita, de voz, encerrada").waitFor();
    await page.goto(`${sandbox.ready().network_url}/#/${BIA}/${chatWith(LOJA)}`);
    await page.getByRole("button", { name: "Ligar com vídeo" }).click();
    await page.getByRole("alertdialog", { name: "Ligando para Loja" }).waitFor();
    const call = await eventually("the call", WAIT_MS, async () => (await store.api.get("/calls")).body.data[0]);
    await gateway("POST", "/calls/reject", { call_id: call.call_id, from: BIA });
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    await page.goto(`${sandbox.ready().network_url}/#/${BIA}/calls`);
    await page.getByText("feita, com vídeo, recusada").waitFor();
  });

  it("makes a group with the gateway's number, adds, removes, renames, and leaves", async () => {
    const page = await hold(BIA, "write");
    await page.getByRole("link", { name: "Novo grupo" }).click();
    await page.getByLabel("Nome do grupo").fill("Entregas");
    await page.getByRole("checkbox", { name: /^Loja/ }).check();
    await page.getByRole("button", { name: "Criar grupo" }).click();
    await page.getByText("2 participantes").waitFor();
    await write(page, "Bom dia, grupo");
    const group = await eventually("the group", WAIT_MS, async () =>
      (await store.api.get("/groups")).body.data.find((one: any) => one.subject === "Entregas"),
    );
    const id = (group.group_id ?? group.id) as string;
    await atGateway(id, ({ text }) => text === "Bom dia, grupo");
    await gateway("POST", "/messages/text", { chat_id: id, text: "Bom dia da loja" });
    await bubble(page, "Bom dia da loja").getByText("Loja", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Dados do grupo" }).click();
    await page.getByRole("button", { name: "Adicionar", exact: true }).click();
    await page.getByRole("dialog").getByRole("checkbox", { name: /^Caio/ }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Adicionar" }).click();
    await page.getByRole("button", { name: "Remover Caio" }).click();
    await page.getByRole("button", { name: "Remover Caio" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Tornar Loja admin do grupo" }).click();
    await page.getByRole("button", { name: "Remover Loja dos administradores" }).waitFor();
    await page.getByLabel("Nome do grupo").fill("Entregas de hoje");
    await page.getByRole("button", { name: "Mudar nome" }).click();
    await eventually("renamed", WAIT_MS, async () => (await store.api.get(`/groups/${id}`)).body.data.subject === "Entregas de hoje");
    await page.getByRole("button", { name: "Sair do grupo" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sair do grupo" }).click();
    await page.getByText("Você saiu do grupo.").first().waitFor();
    await page.getByRole("link", { name: /Entregas de hoje/ }).click();
    await page.getByText("Você não está neste grupo.").waitFor();
  });

  it("loses its connection and returns: messages sent meanwhile wait on the network", async () => {
    const page = await hold(DUDA);
    await page.getByRole("button", { name: /Ficar offline/ }).click();
    await page.getByText(/^Offline\. As mensagens para este celular/).waitFor();
    const { message_id: id } = await gateway("POST", "/messages/text", { to: DUDA, text: "Está aí?" });
    await eventually("sent", WAIT_MS, async () => (await statusOf(id)) === "sent");
    await page.getByRole("link", { name: "Nova conversa" }).click();
    await page.getByRole("region", { name: "Celular de Duda" }).getByRole("link", { name: /Loja/ }).click();
    trouble.expect(/409/);
    await write(page, "Ninguém me ouve");
    await page.getByText("O celular está offline.").first().waitFor();
    await expect.poll(() => page.getByRole("textbox", { name: "Mensagem" }).inputValue()).toBe("Ninguém me ouve");
    await page.getByRole("button", { name: /Ficar online/ }).click();
    await bubble(page, "Está aí?").waitFor();
    await eventually("read", WAIT_MS, async () => (await statusOf(id)) === "read");
    await page.getByRole("button", { name: "Enviar" }).click();
    await atGateway(DUDA, ({ text }) => text === "Ninguém me ouve");
  });
});

describe("linking the gateway to a phone", () => {
  /** A connection showing its QR code. */
  async function unpaired(name: string) {
    const { body } = await store.owner.call("POST", "/connections", { name });
    const path = `/connections/${body.data.id}`;
    await store.owner.call("POST", `${path}/connect`);
    const qr = (): Promise<{ raw: string; qr: string }> =>
      eventually("a QR", WAIT_MS, async () => {
        const answer = await store.owner.call("GET", `${path}/qr`);
        return answer.status === 200 && answer.body.data;
      });
    const status = async () => (await store.owner.call("GET", path)).body.data.status as string;
    return { path, qr, connected: () => eventually("connected", WAIT_MS, async () => (await status()) === "connected"), status };
  }

  it("scans the gateway's own picture, and says so when there is no QR in one", async () => {
    const connection = await unpaired("By its picture");
    const page = await hold(CAIO, "devices");
    await page.getByText("Nenhum dispositivo conectado.").waitFor();
    await page.getByRole("link", { name: "Conectar dispositivo" }).click();
    const choose = page.getByLabel("Escolher imagem do QR code");
    await choose.setInputFiles({ name: "vazia.png", mimeType: "image/png", buffer: PNG });
    await page.getByText("Esta imagem não tem um QR code legível.").first().waitFor();
    await choose.setInputFiles({ name: "texto.png", mimeType: "image/png", buffer: Buffer.from("not a picture") });
    await page.getByText("O navegador não consegue abrir esta imagem.").first().waitFor();
    const { qr } = await connection.qr();
    await choose.setInputFiles({ name: "qr.png", mimeType: "image/png", buffer: Buffer.from(qr.slice(qr.indexOf(",") + 1), "base64") });
    await page.getByRole("button", { name: "Desconectar" }).waitFor();
    await connection.connected();
    await page.getByRole("listitem").filter({ hasText: "dispositivo 1" }).getByText("online").waitFor();
    expect((await network.call("GET", `/phones/${CAIO}`)).body.data.devices).toHaveLength(1);
  });

  it("reads the QR from the dashboard's screen, and both pages continue by themselves", async () => {
    const connection = await unpaired("Dashboard on the left");
    const board = new Dashboard(sandbox, browser);
    const { page: left } = await board.visit(`${connection.path}/pair`, { theme: "dark" });
    const right = await hold(ENZO, "link");
    const shown = left.getByRole("img", { name: "QR code para ler com o celular" });
    await shown.waitFor();
    await shown.evaluate((image: HTMLImageElement) => image.decode());
    const seen = await shown.screenshot();
    await right.getByLabel("Escolher imagem do QR code").setInputFiles({ name: "tela.png", mimeType: "image/png", buffer: seen });
    await right.getByRole("button", { name: "Desconectar" }).waitFor();
    await left.waitForURL(/\/connections\/[^/]+$/);
    expect(await connection.status()).toBe("connected");
    await board.closeVisits();
  });

  it("takes the picture when it is dropped on the phone, or pasted", async () => {
    const connection = await unpaired("By dropping");
    const page = await hold(DUDA, "link");
    const { qr } = await connection.qr();
    const give = (kind: "drop" | "paste", address: string) =>
      page.getByText("Solte ou cole aqui a imagem do QR code").evaluate(
        (target, { kind, address }) => {
          const data = new DataTransfer();
          // Browsers use this format for a picture dragged from another page.
          data.setData("text/html", `<img src="${address}">`);
          const event =
            kind === "drop"
              ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
              : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
          target.dispatchEvent(event);
        },
        { kind, address },
      );
    await give("drop", `data:image/png;base64,${PNG.toString("base64")}`);
    await page.getByText("Esta imagem não tem um QR code legível.").first().waitFor();
    await give("paste", qr);
    await connection.connected();
    await page.getByRole("button", { name: "Desconectar" }).click();
    await page.getByRole("dialog").getByText("A sessão do dispositivo é encerrada na hora.", { exact: false }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Desconectar" }).click();
    await page.getByText("Nenhum dispositivo conectado.").waitFor();
    await eventually("logged out", WAIT_MS, async () => (await connection.status()) === "disconnected");
  });

  it("links by the text of the QR and by a code, and refuses what is neither", async () => {
    const connection = await unpaired("By its text");
    const page = await hold(DUDA, "link");
    trouble.expect(/400/, /403/, /410/);
    const field = page.getByLabel("Texto do QR code");
    await field.fill("not a QR");
    await page.getByRole("button", { name: "Conectar" }).click();
    await page.getByText("Este texto não é de um QR code de pareamento.").first().waitFor();
    await field.fill((await connection.qr()).raw);
    await page.getByRole("button", { name: "Conectar" }).click();
    await connection.connected();
    await page.getByRole("button", { name: "Desconectar" }).waitFor();

    const byCode = await unpaired("By its code");
    const { body } = await store.owner.call("POST", `${byCode.path}/pairing-code`, { phone_number: DUDA });
    await page.getByText("Um dispositivo quer se conectar com um código.").first().waitFor();
    await page.getByRole("link", { name: "Digitar código" }).click();
    await page.getByLabel("Código de 8 caracteres").fill(body.data.code);
    await page.getByRole("button", { name: "Conectar" }).click();
    await byCode.connected();
    expect((await network.call("GET", `/phones/${DUDA}`)).body.data.devices).toHaveLength(2);
  });

  it("drops the gateway's connection, keeps it down, and restores it", async () => {
    const page = await hold(LOJA, "devices");
    const device = page.getByRole("listitem").filter({ hasText: "dispositivo" });
    await device.getByText("online").waitFor();
    await page.getByRole("button", { name: "Manter offline" }).click();
    await device.getByText("offline").waitFor();
    await page.getByText("Os dispositivos estão offline.").first().waitFor();
    const read = async () => (await store.owner.call("GET", `/connections/${store.id}`)).body.data.status as string;
    await eventually("not connected", WAIT_MS, async () => (await read()) !== "connected");
    await page.getByRole("button", { name: "Permitir reconexão" }).click();
    await eventually("connected", WAIT_MS * 2, async () => (await read()) === "connected");
    await device.getByText("online").waitFor();
    await page.getByRole("button", { name: "Derrubar uma vez" }).click();
    await page.getByText("A conexão caiu.", { exact: false }).first().waitFor();
    await eventually("back by itself", WAIT_MS, async () => (await read()) === "connected");
  });
});

describe("the page", () => {
  it("adds a phone, shows another one, and changes its language without losing its state", async () => {
    const page = await hold(BIA);
    await page.getByRole("button", { name: "Novo celular" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Número").fill("5511933000009");
    await dialog.getByLabel("Nome").fill("Fabi");
    await dialog.getByRole("button", { name: "Adicionar" }).click();
    await page.getByRole("region", { name: "Celular de Fabi" }).waitFor();
    await page.getByRole("link", { name: "Ajustes" }).click();
    await page.getByLabel("Recado").fill("Na rua");
    await page.getByRole("button", { name: "Salvar" }).click();
    await page.getByText("Salvo.").first().waitFor();
    await page.getByLabel("Trocar foto").setInputFiles({ name: "eu.png", mimeType: "image/png", buffer: PNG });
    await page.getByRole("button", { name: "Remover foto" }).waitFor();
    const { body } = await network.call("GET", "/phones/5511933000009");
    expect(body.data).toMatchObject({ about: "Na rua", picture_sha256: sha256(PNG) });
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.getByRole("navigation", { name: "Phones" }).getByRole("link", { name: /Caio/ }).click();
    await page.getByRole("region", { name: "Caio's phone" }).waitFor();
  });

  it("reports that the network does not respond, keeps its content, and recovers", async () => {
    const alone = networkProcess();
    try {
      await alone.start();
      const say = (text: string) => alone.call("POST", `/phones/${CAIO}/send`, { to: BIA, text });
      await alone.call("POST", "/phones", { phone: BIA, name: "Bia" });
      await alone.call("POST", "/phones", { phone: CAIO, name: "Caio" });
      await say("Oi, Bia");
      const page = await hold(BIA, "chats", {}, alone.ready().control_url);
      await page.getByText("Oi, Bia").waitFor();
      trouble.expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
      await alone.kill();
      await page.getByText("A rede de testes não está respondendo. Tentando de novo…").waitFor();
      expect(await page.getByText("Oi, Bia").count()).toBe(1);
      await alone.start();
      await page.getByText("A rede de testes não está respondendo. Tentando de novo…").waitFor({ state: "detached" });
      await say("De volta");
      await page.getByText("De volta").waitFor();
    } finally {
      await alone.dispose();
    }
  });

  it("works the same by keyboard alone, from the list of phones to a sent message", async () => {
    const page = await hold(BIA);
    const reach = async (name: RegExp): Promise<void> => {
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press("Tab");
        const focused = await page.evaluate(
          () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "",
        );
        if (name.test(focused)) return;
      }
      throw new Error(`the keyboard does not reach ${name}`);
    };
    await page.getByRole("link", { name: /Loja/ }).first().waitFor();
    await reach(/Loja\d\d:\d\d/);
    await page.keyboard.press("Enter");
    await eventually("the focus is on the screen's title", WAIT_MS, () =>
      page.evaluate(() => /^H2$/.test(document.activeElement?.tagName ?? "") || document.activeElement === document.body),
    );
    await reach(/^Mensagem$/);
    await page.keyboard.type("Só pelo teclado");
    await page.keyboard.press("Enter");
    await bubble(page, "Só pelo teclado").waitFor();
  });

  it("has no accessibility violation and no sideways scroll, in both themes and languages, wide and narrow", async () => {
    const poll = { to: BIA, poll: { question: "Qual dia?", options: ["Sábado", "Domingo"] } };
    await network.send(CAIO, poll);
    await network.send(CAIO, { to: BIA, location: { latitude: -23.5, longitude: -46.6, name: "Feira" } });
    await network.send(CAIO, { to: BIA, type: "document", media: { base64: "AAAA", mimetype: "application/pdf", filename: "nota.pdf" } });
    const screens = ["chats", chatWith(LOJA), chatWith(CAIO), "write", "new-group", "calls", "devices", "link", "link/code", "settings"];
    const looks: Look[] = [
      { language: "pt", theme: "light", width: 1280 },
      { language: "en", theme: "dark", width: 1280 },
      { language: "en", theme: "light", width: 360 },
      { language: "pt", theme: "dark", width: 360 },
      { language: "pt", theme: "light", width: 320 },
    ];
    const found: string[] = [];
    for (const look of looks) {
      const page = await hold(BIA, "chats", look);
      for (const screen of screens) {
        await page.evaluate((hash) => (location.hash = hash), `#/${BIA}/${screen}`);
        await page.getByRole("heading", { level: 2 }).first().waitFor();
        const where = `${screen} ${JSON.stringify(look)}`;
        // A window of 320 px has the same layout as the next width, which axe has already checked.
        if (look.width !== 320) found.push(...(await axeViolations(page)).map((line) => `${where}: ${line}`));
        if ((await sidewaysScroll(page)) > 0) found.push(`${where}: scrolls sideways`);
      }
    }
    expect(found).toEqual([]);
  });

  it("is served with the dashboard's own policy, and only to this machine", async () => {
    const url = sandbox.ready().network_url ?? "";
    const { headers } = await fetch(`${url}/`);
    expect(headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self';");
    expect(headers.get("content-security-policy")).toContain("require-trusted-types-for 'script'; trusted-types service-worker");
    expect((await fetch(`${url}/`, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await fetch(`${url}/assets/none.js`)).status).toBe(404);
  });
});
