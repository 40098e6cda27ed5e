// A customer's program. It knows one key, one contact and its own webhook, but not what kind of number it uses.
import { ask } from "../clients.ts";
import { eventually } from "../eventually.ts";
import { JPEG } from "../sample-files.ts";
import { type Shape, shapeOf } from "./shapes.ts";

const WITHIN_MS = 60_000;

/** The parsed body of one webhook event. */
export type EventBody = { type: string; created_at: string; data: Record<string, any> };

export type Application = {
  /** Ends in `/api/v1`. */
  base: string;
  key: string;
  /** Digits only. */
  contact: string;
  told: () => readonly EventBody[];
};

export type Step = { status: number; codigo: string | null; shape: Shape };

export type Transcript = {
  steps: Record<string, Step>;
  /** By chat, in order: the step whose message the event is about, the event's type, and the fields a program decides by. */
  order: Record<string, string[]>;
  /** Keyed by event type and message type. */
  events: Record<string, Shape>;
};

/** Texts sent by the program and its contact; each reacts to the other's texts. */
export const WORDS = {
  first: "Bom dia",
  begin: "Quem fala?",
  hello: "Olá!",
  answer: "Oi! Tudo bem?",
  question: "Qual dia?",
  days: ["Terça", "Quinta"],
  bye: "Até logo",
  end: "Tchau",
};

/** Enumerated fields that programs compare. */
const WORD_FIELDS = new Set(["type", "status", "status_reason", "kind"]);
const OPUS = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(24), Buffer.from("OpusHead"), Buffer.alloc(64)]);
const file = (bytes: Buffer, mimetype: string, more: object = {}) => ({ media: { base64: bytes.toString("base64"), mimetype, ...more } });

export async function runApplication({ base, key, contact, told }: Application): Promise<Transcript> {
  const steps: Record<string, Step> = {};
  const chat = `${contact}@c.us`;
  /** Maps each message id to the step that created the message, or to its sender. */
  const messages = new Map<string, string>();

  /** Makes one call, records it under its name, and returns the body for later steps. */
  async function step(name: string, method: string, path: string, json?: unknown): Promise<any> {
    const { status, body } = await ask(`${base}${path}`, {
      method,
      headers: { "x-api-key": key },
      ...(json === undefined ? {} : { json }),
    });
    steps[name] = { status, codigo: body?.error?.codigo ?? null, shape: shapeOf(body, WORD_FIELDS) };
    return body;
  }
  const event = (type: string, fits: (data: Record<string, any>) => boolean) =>
    eventually(`the application is told: ${type}`, WITHIN_MS, () => told().find((each) => each.type === type && fits(each.data)));
  const reached = (id: string, status: string) => event("message.status", (data) => data["message_id"] === id && data["status"] === status);

  /** Sends a message. If it is accepted, waits for it to be delivered. */
  async function send(name: string, kind: string, content: Record<string, unknown>): Promise<string | null> {
    const body = await step(name, "POST", `/messages/${kind}`, { to: contact, ...content });
    const id = (body?.message_id ?? null) as string | null;
    if (id === null) return null;
    messages.set(id, name);
    await event("message.sent", (data) => data["message_id"] === id);
    await reached(id, "delivered");
    return id;
  }

  await step("read the status", "GET", "/instance");
  await step("read the capabilities", "GET", "/instance/capabilities");
  await step("read the health", "GET", "/instance/health");
  await step("check the number", "GET", `/contacts/check?phone=${contact}`);

  // Sends to a contact who has not written yet; the contact writes only afterwards.
  const first = (await step("write first", "POST", "/messages/text", { to: contact, text: WORDS.first })).message_id as string;
  messages.set(first, "write first");
  const { data: outcome } = await event("message.status", (data) => data["message_id"] === first);
  steps["what became of it"] = { status: 200, codigo: null, shape: shapeOf(outcome, WORD_FIELDS) };
  await event("message.received", (data) => data["text"] === WORDS.begin);

  // The contact reads it, replies with a quote, sends a picture, and reacts.
  const hello = (await send("send a text", "text", { text: WORDS.hello, reference: "pedido-1" })) ?? "";
  await reached(hello, "read");
  const { data: answer } = await event("message.received", (data) => data["text"] === WORDS.answer);
  const received = answer["message_id"] as string;
  const { data: picture } = await event("message.received", (data) => data["type"] === "image");
  await event("message.reaction", (data) => data["message_id"] === hello);

  await send("send a text with a quote", "text", { text: "Tudo, e você?", quoted_message_id: received });
  await send("send an image", "image", { ...file(JPEG, "image/jpeg"), caption: "Um ponto" });
  await send("send a document", "document", file(Buffer.from("%PDF-1.4"), "application/pdf", { filename: "a.pdf" }));
  await send("send a voice message", "voice", { ...file(OPUS, "audio/ogg; codecs=opus"), convert: false });
  await send("send a location", "location", { latitude: -23.5614, longitude: -46.6559, name: "MASP", address: "Av. Paulista" });
  await send("send a contact", "contact", { contacts: [{ full_name: "Ana Souza", phone: "5511900000799" }] });
  const message = (id: string) => `/chats/${chat}/messages/${id}`;
  await step("react", "PUT", `${message(received)}/reaction`, { reaction: "👍" });
  await step("take the reaction back", "PUT", `${message(received)}/reaction`, { reaction: "" });

  await step("read the chats", "GET", "/chats");
  await step("read the chat", "GET", `/chats/${chat}`);
  await step("read the chat's messages", "GET", `/chats/${chat}/messages?limit=50`);
  await step("read a message that came", "GET", message(received));
  await step("read a sent message", "GET", `/messages/${hello}`);
  await step("find a message by its reference", "GET", "/messages?reference=pedido-1");
  await step("read a file that came", "GET", `${message(picture["message_id"] as string)}/media`);
  await step("mark as seen", "POST", `/chats/${chat}/seen`);
  await step("show typing", "POST", `/chats/${chat}/typing`, { state: "typing", duration_ms: 500 });
  await step("show recording", "POST", `/chats/${chat}/typing`, { state: "recording", duration_ms: 500 });
  await step("mark as unread", "POST", `/chats/${chat}/unread`);
  for (const action of ["archive", "unarchive", "pin", "unpin"]) await step(`${action} the chat`, "POST", `/chats/${chat}/${action}`);
  await step("mute the chat", "POST", `/chats/${chat}/mute`, { duration_seconds: 28_800 });
  await step("read the muted chat", "GET", `/chats/${chat}?muted`);
  await step("unmute the chat", "POST", `/chats/${chat}/unmute`);

  const person = `/contacts/${chat}`;
  await step("save a contact", "PUT", person, { full_name: "Bia Souza", first_name: "Bia" });
  await step("read the contact", "GET", person);
  await step("read the contacts", "GET", "/contacts");
  await step("remove the contact", "DELETE", person);
  await step("block", "POST", `${person}/block`);
  await step("read who is blocked", "GET", "/contacts/blocked");
  await step("unblock", "POST", `${person}/unblock`);
  await step("read what the contact says of itself", "GET", `${person}/about`);
  await step("read the contact's picture", "GET", `${person}/picture`);
  await step("list the groups", "GET", "/groups");
  await step("list the labels", "GET", "/labels");
  await step("list the channels", "GET", "/channels");
  await step("read the own profile", "GET", "/profile");
  await step("set the presence", "PUT", "/presence", { presence: "online" });

  // Features that only some kinds of number support.
  await send("send a mention", "text", { text: `@${contact}`, mentions: [contact] });
  await send("send a poll", "poll", { question: WORDS.question, options: WORDS.days });
  await send("send a list", "list", {
    body: WORDS.question,
    button: "Ver",
    sections: [{ title: "Dias", rows: [{ row_id: "ter", title: "Terça" }] }],
  });
  await send("send buttons", "buttons", { body: WORDS.question, buttons: [{ button_id: "sim", title: "Sim" }] });
  await send("send a template", "template", { name: "boas_vindas", language: "pt_BR" });

  await step("edit a message", "PUT", message(hello), { text: "Olá, tudo bem?" });
  await step("star a message", "PUT", `${message(received)}/star`, { star: true });
  await step("delete a message", "DELETE", message(hello));

  // The contact replies and calls.
  await send("say goodbye", "text", { text: WORDS.bye });
  await event("message.received", (data) => data["text"] === WORDS.end);
  const { data: call } = await event("call", (data) => data["status"] === "received");
  await step("reject a call", "POST", "/calls/reject", { call_id: call["call_id"], from: contact });
  await step("read the calls", "GET", "/calls");
  return { steps, ...eventsIn(told(), messages) };
}

/** Sorted as docs/use/events.md, "Order of events", requires. */
function eventsIn(all: readonly EventBody[], messages: ReadonlyMap<string, string>): Pick<Transcript, "order" | "events"> {
  const order: Transcript["order"] = {};
  const bodies: Record<string, unknown[]> = {};
  const names = new Map(messages);
  for (const { type, data } of all.toSorted((one, other) => one.created_at.localeCompare(other.created_at))) {
    const kind = [type, data["type"] ?? data["status"]].filter(Boolean).join(" ");
    const id = data["message_id"] as string | undefined;
    if (id !== undefined && type === "message.received") names.set(id, "the contact");
    const about = id === undefined ? "no message" : (names.get(id) ?? "an id of no message");
    (order[(data["chat_id"] as string | undefined) ?? "no chat"] ??= []).push(`${about}: ${kind}`);
    (bodies[kind] ??= []).push(data);
  }
  return { order, events: Object.fromEntries(Object.entries(bodies).map(([kind, list]) => [kind, shapeOf({ data: list }, WORD_FIELDS)])) };
}
