// A contact's actions toward a Cloud API number and a paired one cause the same events.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import { accountCalls, AccountHook } from "../../support/account-holder.ts";
import { phones } from "../../support/clients.ts";
import { cloudControl } from "../../support/cloud/control.ts";
import { type CloudNumber, connectCloudNumber } from "../../support/cloud/numbers.ts";
import { differences, shapeOf } from "../../support/cloud/shapes.ts";
import { readEvent } from "../../support/events/watched-events.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { JPEG, MP4 } from "../../support/sample-files.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";
import { Webhook } from "standardwebhooks";

const [CLOUD, PAIRED] = ["5511900000521", "5511900000522"] as const;
const BIA = "5511900000523";
const HIDER = "5511900000528";
const HIDDEN = "5511900000524";
const WITHIN_MS = 60_000;

type Number = { phone: string; id: number; instance: string; api: CloudNumber["api"]; owner: CloudNumber["owner"] };
type Body = { id: string; type: string; data: Record<string, any> };

let sandbox: SharedSandbox;
let network: ReturnType<typeof phones>;
beforeAll(async () => {
  sandbox = await borrowSandbox();
  network = phones(sandbox.ready());
});
afterAll(() => sandbox.dispose());

async function onPhone(phone: string, path: string, body: unknown): Promise<any> {
  const answer = await network.call("POST", `/phones/${phone}/${path}`, body);
  expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}

/** Receives one number's events through both kinds of webhooks. */
class Watch {
  readonly number: Number;
  readonly #receiver: Receiver;
  readonly #secret: string;
  readonly #hook: AccountHook;

  private constructor(number: Number, receiver: Receiver, secret: string, hook: AccountHook) {
    this.number = number;
    this.#receiver = receiver;
    this.#secret = secret;
    this.#hook = hook;
  }

  static async of(number: Number): Promise<Watch> {
    const [receiver, hook] = await Promise.all([Receiver.start(), AccountHook.open(null)]);
    const put = await number.owner.call("PUT", `/connections/${number.id}/webhook`, { url: receiver.url });
    const account = accountCalls(sandbox.ready(), { "x-api-key": sandbox.ready().demo.api_key });
    await ok(account("POST", "/webhooks", { url: hook.receiver.url, instance_id: number.instance, events: ACCOUNT_EVENTS }), 201);
    return new Watch(number, receiver, put.body.data.secret as string, hook);
  }

  /** All events so far, in order; each body is verified as a receiver would. */
  connectionEvents(): Body[] {
    return this.#receiver.received.map((received) => {
      new Webhook(this.#secret).verify(received.body, received.headers as Record<string, string>);
      return readEvent(received, this.#secret);
    });
  }

  accountEvents(): { event: string; data: Record<string, any> }[] {
    return this.#hook.all();
  }

  /** Waits until both webhooks have received the event. */
  async told(type: string, event: string, fits: (data: Record<string, any>) => boolean = () => true): Promise<Body> {
    await eventually(`${event} of ${this.number.phone}`, WITHIN_MS, () =>
      this.accountEvents().some((each) => each.event === event && fits(each.data)),
    );
    return eventually(`${type} of ${this.number.phone}`, WITHIN_MS, () =>
      this.connectionEvents().find((each) => each.type === type && fits(each.data)),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([this.#receiver.stop(), this.#hook.receiver.stop()]);
  }
}

describe("an action of a contact", { timeout: 400_000 }, () => {
  const watches: Watch[] = [];
  afterAll(() => Promise.all(watches.map((watch) => watch.stop())));

  /** Bia's actions, each after the previous one's event arrived. */
  async function acts({ number, told }: Pick<Watch, "number"> & { told: Watch["told"] }): Promise<void> {
    const chat_id = `${number.phone}@c.us`;
    const received = (type: string) => told("message.received", "message.received", (data) => data["type"] === type);
    const send = (body: Record<string, unknown>) => onPhone(BIA, "send", { to: number.phone, ...body });
    const media = (bytes: Buffer, mimetype: string, more: object = {}) => ({
      media: { base64: bytes.toString("base64"), mimetype, ...more },
    });

    await send({ text: "hello" });
    await received("text");
    const own = (await number.api.text(BIA, "hello Bia")).body.message_id as string;
    const isOwn = (data: Record<string, any>) => data["message_id"] === own;
    await told("message.status", "message.delivered", isOwn);
    const inbox = await eventually("it arrives", WITHIN_MS, async () =>
      (await network.inbox(BIA)).find((message) => message["chat_id"] === chat_id && message["text"] === "hello Bia"),
    );
    await onPhone(BIA, "read", { chat_id });
    await told("message.status", "message.read", isOwn);
    await send({ text: "an answer", quoted_id: inbox["message_id"] });
    await told("message.received", "message.received", (data) => data["text"] === "an answer");
    for (const [type, content] of [
      ["image", { ...media(JPEG, "image/jpeg"), caption: "a picture" }],
      ["video", { ...media(MP4, "video/mp4"), caption: "a film" }],
      ["audio", media(Buffer.from("audio"), "audio/mpeg", { seconds: 3 })],
      ["voice", media(Buffer.from("voice"), "audio/ogg; codecs=opus", { seconds: 3 })],
      ["document", media(Buffer.from("%PDF-1.4"), "application/pdf", { filename: "a.pdf" })],
      ["sticker", media(Buffer.from("sticker"), "image/webp")],
      ["location", { location: { latitude: -23.5, longitude: -46.6, name: "Store", address: "Street 1" } }],
      ["contact", { contact: { full_name: "Caio", phone: "5511900000525" } }],
    ] as const) {
      await send({ type, ...content });
      await received(type);
    }
    for (const reaction of ["👍", ""]) {
      await onPhone(BIA, "react", { chat_id, message_id: inbox["message_id"], reaction });
      await told("message.reaction", "message.reaction", (data) => (data["reaction"] ?? data["emoji"] ?? "") === reaction);
    }
    await onPhone(BIA, "call", { to: number.phone });
    await told("call", "message.reaction");
  }

  it("causes the same events for both kinds of numbers: names, fields, types and order", async () => {
    const paired = await pairConnection(sandbox.ready(), PAIRED, { name: "Paired" });
    const listed = await ok<{ data: { id: number; instance_id: string }[] }>(paired.owner.call("GET", "/connections"));
    const instance = listed.data.find(({ id }) => id === paired.id)?.instance_id ?? "";
    const cloud = await connectCloudNumber(sandbox.ready(), { phone: CLOUD, name: "Cloud" });
    // Created only now: contacts in a phone's history are not new to its number.
    await network.create(BIA, "Bia");
    watches.push(await Watch.of({ ...paired, instance }), await Watch.of(cloud));
    for (const watch of watches) await acts({ number: watch.number, told: (...about) => watch.told(...about) });
    const [ofPaired, ofCloud] = watches.map((watch) => [
      ...watch.connectionEvents().map(({ type, data }) => ({ what: type, data })),
      ...watch.accountEvents().map(({ event, data }) => ({ what: `account ${event}`, data })),
    ]) as [{ what: string; data: unknown }[], { what: string; data: unknown }[]];
    expect(ofCloud.map(({ what }) => what)).toEqual(ofPaired.map(({ what }) => what));
    const found = ofPaired.flatMap(({ what, data }, no) => differences(what, shapeOf(data), shapeOf(ofCloud[no]?.data)));
    expect([...new Set(found)].sort()).toEqual(DIFFERENT);
  });
});

/** Meta does not report a recording's duration. */
const DIFFERENT: readonly string[] = ["account message.received media.duration_seconds: number, null"];

describe("numbers of people", { timeout: 400_000 }, () => {
  const STORE = "5511900000526";
  let store: CloudNumber;
  let watch: Watch;
  let control: ReturnType<typeof cloudControl>;
  beforeAll(async () => {
    store = await connectCloudNumber(sandbox.ready(), { phone: STORE, name: "Store" });
    control = cloudControl(sandbox.ready(), store.credentials);
    watch = await Watch.of(store);
  });
  afterAll(() => watch.stop());

  const received = (text: string) => watch.told("message.received", "message.received", (data) => data["text"] === text);
  const asked = async (): Promise<Record<string, unknown>[]> =>
    (await control.requests()).filter(({ path }) => String(path).endsWith("/messages")).map(({ body }) => body as Record<string, unknown>);
  const chats = async (): Promise<{ id?: string; chat_id?: string }[]> => (await store.api.get("/chats")).body.data;

  it("in another format than the network's have one chat, and are called in the network's format", async () => {
    const [spelled, typed] = ["551187650527", "5511987650527"] as const;
    await network.create(spelled, "Duda");
    await onPhone(spelled, "send", { to: STORE, text: "from Duda" });
    await received("from Duda");
    for (const text of ["one", "two"]) {
      const sent = await store.api.text(typed, text);
      expect([sent.status, sent.body.to_resolved], JSON.stringify(sent.body)).toEqual([200, spelled]);
      await eventually(`${text} arrives`, WITHIN_MS, async () =>
        (await network.inbox(spelled)).some((message) => message["text"] === text),
      );
    }
    // Her own message has shown how the network formats her number.
    expect((await asked()).map(({ to }) => to)).toEqual([`+${spelled}`, `+${spelled}`]);
    expect((await chats()).map((chat) => chat.chat_id ?? chat.id)).toEqual([`${spelled}@c.us`]);
    const { body } = await store.api.get(`/chats/${spelled}@c.us/messages`);
    expect((body.data as { text: string }[]).map(({ text }) => text).sort()).toEqual(["from Duda", "one", "two"]);
  });

  it("hidden behind a username stay hidden, can be written to, and join their chat once shown", async () => {
    const other = await connectCloudNumber(sandbox.ready(), { phone: HIDER, name: "Other" });
    const about = cloudControl(sandbox.ready(), other.credentials);
    await network.create(HIDDEN, "Zoe");
    await about.change({ username_only: [HIDDEN] });
    type Chat = { chat_id: string; phone: string | null };
    const texts = async (chat: string): Promise<(string | null)[]> => {
      const { body } = await other.api.get(`/chats/${encodeURIComponent(chat)}/messages`);
      return (body.data as { text: string | null }[] | undefined)?.map(({ text }) => text).sort() ?? [];
    };
    await onPhone(HIDDEN, "send", { to: HIDER, text: "hidden" });
    const [chat] = await eventually("a chat", WITHIN_MS, async () => {
      const { body } = await other.api.get("/chats");
      return (body.data as Chat[]).length > 0 && (body.data as Chat[]);
    });
    const id = chat?.chat_id ?? "";
    expect([id, chat?.phone]).toEqual([expect.stringMatching(/^\d+@lid$/), null]);
    expect(await texts(id)).toEqual(["hidden"]);
    const sent = await other.api.call("POST", "/messages/text", { chat_id: id, text: "answered" });
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
    await eventually("the answer arrives", WITHIN_MS, async () =>
      (await network.inbox(HIDDEN)).some((message) => message["text"] === "answered"),
    );
    const requests = (await about.requests()).filter(({ path }) => String(path).endsWith("/messages"));
    expect(requests.at(-1)?.body).toMatchObject({ recipient: expect.stringMatching(/^[A-Z]{2}\./) as string });
    expect(requests.at(-1)?.body).not.toHaveProperty("to");

    await about.change({ username_only: [] });
    await onPhone(HIDDEN, "send", { to: HIDER, text: "shown" });
    await eventually("the chat by phone", WITHIN_MS, async () => (await texts(`${HIDDEN}@c.us`)).includes("shown"));
    expect(await texts(`${HIDDEN}@c.us`)).toEqual(["answered", "hidden", "shown"]);
    expect((await other.api.get("/chats")).body.data).toMatchObject([{ chat_id: `${HIDDEN}@c.us`, phone: HIDDEN }]);
    expect((await other.api.get("/chats")).body.data).toHaveLength(1);
  });
});
