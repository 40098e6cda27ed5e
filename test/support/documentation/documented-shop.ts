// Sets up the documentation's examples: for each sample id, a real object of that kind, created on demand.
import { expect } from "vitest";
import { phones, type Reply } from "../clients.ts";
import { eventually } from "../eventually.ts";
import { FileServer } from "../file-server.ts";
import { pairConnection, type PairedConnection } from "../paired-connection.ts";
import type { SharedSandbox } from "../shared-sandbox.ts";

/** Phone numbers in the examples: Eco, which receives the calls, and another person. */
const [CONTACT, OTHER] = ["5511900000002", "5511900000003"] as const;
const SHOP = "5511900000020";
const CHAT = `${CONTACT}@c.us`;
const SAMPLE = {
  message: "3EB0C431C26A1916E07A",
  group: "120363041234567890@g.us",
  invite: "AbCdEfGhIjKlMnOpQrStUv",
  channel: "120363041234567891@newsletter",
  call: "A1B2C3D4E5F60718293A4B5C6D7E8F90",
  sendAt: "2030-01-15T18:00:00-03:00",
  listener: "lst_0123456789abcdef0123456789abcdef",
  files: "https://example.com",
};
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";
const WITHIN_MS = 60_000;

const starting = (text: string) => Buffer.concat([Buffer.from(text, "latin1"), Buffer.alloc(4_000)]);

export class DocumentedShop {
  readonly shop: PairedConnection;
  readonly #network: ReturnType<typeof phones>;
  readonly #files: FileServer;
  readonly #fileUrl: string;
  /** The channel used by the current example. */
  #channelId: string | null = null;

  private constructor(sandbox: SharedSandbox, shop: PairedConnection, files: FileServer, fileUrl: string) {
    this.shop = shop;
    this.#network = phones(sandbox.ready());
    this.#files = files;
    this.#fileUrl = fileUrl;
  }

  static async open(sandbox: SharedSandbox): Promise<DocumentedShop> {
    const network = phones(sandbox.ready());
    await network.create(OTHER, "Ana");
    await network.call("PATCH", `/phones/${CONTACT}`, { reply: null });
    for (const phone of [CONTACT, OTHER]) await network.call("POST", `/phones/${phone}/picture`, { base64: PNG });
    const shop = await pairConnection(sandbox.ready(), SHOP, { name: "Loja", business: true });
    const files = await FileServer.start();
    files.file("/video.mp4", starting("\0\0\0\x20ftypisom\0\0\0\0"), "video/mp4");
    files.file("/audio.mp3", starting("ID3\x04"), "audio/mpeg");
    files.file("/voz.ogg", starting(`OggS${"\0".repeat(24)}OpusHead\x01\x01`), "audio/ogg");
    const first = files.file("/figurinha.webp", await sticker(), "image/webp");
    return new DocumentedShop(sandbox, shop, files, first.replace("/figurinha.webp", ""));
  }

  async close(): Promise<void> {
    await this.#files.stop();
    await this.#network.call("PATCH", `/phones/${CONTACT}`, { reply: "echo" });
  }

  /** The example with its sample ids replaced by real ones. */
  async realised(command: string): Promise<string> {
    this.#channelId = null;
    // A sender appears in both chats and contacts.
    await this.#made("/messages/text", { to: CONTACT, text: "Olá!" });
    const real: [sample: string, make: () => string | Promise<string>][] = [
      ["messages/100/", async () => `messages/${await this.#post(command)}/`],
      [`waiting/${SAMPLE.message}`, async () => `waiting/${await this.#waiting()}`],
      [SAMPLE.sendAt, inAnHour],
      [SAMPLE.message, () => this.#message(command)],
      [SAMPLE.listener, async () => (await this.#made("/listeners", { name: "laptop" })).data.id],
      [SAMPLE.group, () => this.#group(command)],
      [SAMPLE.invite, async () => (await this.#ofContact("Turma")).invite_code],
      [SAMPLE.channel, () => this.#channel(command)],
      [SAMPLE.call, () => this.#call()],
      [SAMPLE.files, () => this.#fileUrl],
      ["labels/1", async () => `labels/${await this.#label(command)}`],
      ['"label_ids":["1"]', async () => `"label_ids":["${await this.#label(command)}"]`],
    ];
    let text = command;
    for (const [sample, make] of real) if (text.includes(sample)) text = text.replaceAll(sample, await make());
    if (text.includes("business-profile")) return text.replace(CHAT, `${await this.#business()}@c.us`);
    return text;
  }

  async #waiting(): Promise<string> {
    const delivery = { at: inAnHour() };
    return (await this.#made("/messages/text", { to: CONTACT, text: "Até amanhã!", delivery }, 202)).message_id;
  }

  async #message(command: string): Promise<string> {
    if (command.includes("/status/")) return (await this.#made("/status/text", { text: "Olá", recipients: [CONTACT] })).message_id;
    if (command.includes("/votes")) {
      const poll = { to: CONTACT, question: "Qual dia?", options: ["Terça", "Quinta"], selectable_count: 1 };
      return (await this.#made("/messages/poll", poll)).message_id;
    }
    if (command.includes("/media'")) return (await this.#made("/messages/image", { to: CONTACT, media: { base64: PNG } })).message_id;
    return (await this.#made("/messages/text", { to: CONTACT, text: "Olá!" })).message_id;
  }

  /** One of our groups, with the participants that the example needs. */
  async #group(command: string): Promise<string> {
    const isAdded = command.includes("/participants/add") || command.includes("/requests");
    const { data } = await this.#made("/groups", { subject: "Equipe", participants: isAdded ? [CONTACT] : [CONTACT, OTHER] });
    const path = `/groups/${data.group_id}`;
    if (command.includes("/demote")) await this.#made(`${path}/participants/promote`, { participants: [OTHER] });
    if (command.includes("/requests/")) {
      await done(this.shop.api.call("PATCH", `${path}/settings`, { join_approval: true }));
      const { code } = (await done(this.shop.api.get(`${path}/invite-code`))).data;
      await this.#network.call("POST", `/phones/${OTHER}/groups/join`, { invite_code: code });
      await eventually("the request", WITHIN_MS, async () => (await this.shop.api.get(`${path}/requests`)).body.data.length === 1);
    }
    return data.group_id;
  }

  async #ofContact(subject: string): Promise<{ invite_code: string }> {
    const { group_id } = (await this.#network.call("POST", `/phones/${CONTACT}/groups`, { subject, participants: [OTHER] })).body;
    return (await this.#network.call("GET", `/phones/${CONTACT}/groups/${group_id}`)).body.data;
  }

  async #channel(command: string): Promise<string> {
    this.#channelId ??= await this.#newChannel(command);
    return this.#channelId;
  }

  /** Follow and mute examples need a channel that someone else owns; all others use one of ours. */
  async #newChannel(command: string): Promise<string> {
    if (!/follow'|mute'/.test(command)) return (await this.#made("/channels", { name: "Novidades" })).data.channel_id;
    const { channel_id } = (await this.#network.call("POST", `/phones/${CONTACT}/channels`, { name: "De Eco" })).body;
    if (!command.includes("/follow'")) await done(this.shop.api.call("POST", `/channels/${channel_id}/follow`));
    return channel_id;
  }

  async #post(command: string): Promise<string> {
    const channel = await this.#channel(command);
    await this.#made(`/channels/${channel}/messages/text`, { text: "Chegou!" });
    const read = () => this.shop.api.get(`/channels/${channel}/messages?limit=1`);
    return eventually("the post", WITHIN_MS, async () => (await read()).body.data?.[0]?.server_id as string | undefined);
  }

  async #call(): Promise<string> {
    const { call_id } = (await this.#network.call("POST", `/phones/${CONTACT}/call`, { to: SHOP })).body;
    const rings = async () => (await this.shop.api.get("/calls")).body.data.some((call: { call_id: string }) => call.call_id === call_id);
    await eventually("the call", WITHIN_MS, rings);
    return call_id;
  }

  async #label(command: string): Promise<string> {
    const { label_id } = (await this.#made("/labels", { name: "Novo cliente", color: 3 })).data;
    if (command.includes(`/chats/${CHAT}/labels/1`) && command.includes("-X DELETE"))
      await done(this.shop.api.call("POST", `/chats/${CHAT}/labels/${label_id}`));
    return label_id;
  }

  async #business(): Promise<string> {
    const phone = "5511900000021";
    await this.#network.call("POST", "/phones", { phone, name: "Padaria", business: true });
    return phone;
  }

  async #made(path: string, body: object, wanted = 200): Promise<any> {
    return done(this.shop.api.call("POST", path, body), wanted);
  }
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

async function done(call: Promise<Reply>, wanted = 200): Promise<any> {
  const { status, body } = await call;
  expect(status, JSON.stringify(body)).toBe(wanted);
  return body;
}

async function sticker(): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  return sharp({ create: { width: 512, height: 512, channels: 4, background: "#c81e1e" } })
    .webp()
    .toBuffer();
}
