// Request bodies for sending and changing messages: the resulting operation, and validation errors before anything is tried.
import { Buffer } from "node:buffer";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import type { Call, CallResult, StoreFiles } from "@gateway/protocol/connection.ts";
import { OPERATIONS, type OperationName } from "@gateway/protocol/operations.ts";
import { openMedia } from "#root/src/services/media/open.ts";
import { freshKey, gateway } from "../support/gateway.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const TO = "5511900000002";
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").toString("base64");
const pending = { token: "pending:0", mimetype: "", filename: null, size: 0 };
const media = { base64: PNG };
const LONG = (most: number) => "😀".repeat(most);

const WEEK_MS = 7 * DAY_MS;

type Stored = Awaited<ReturnType<StoreFiles>>;
type Asked = { call: Call; store: StoreFiles | null; stored: Stored | null; answer: Response };

/** Sends one request to a fake object that replies with `say`, after storing files if requested. Returns what the object received. */
async function request(
  method: string,
  path: string,
  body?: unknown,
  say: CallResult = { ok: false, failure: { code: "unavailable" } },
  storesFiles = false,
): Promise<Asked> {
  let [call, store, stored]: [Call | null, StoreFiles | null, Stored | null] = [null, null, null];
  const perform = async (given: Call, files: StoreFiles | null) => {
    [call, store] = [given, files];
    if (storesFiles) stored = (await files?.(WEEK_MS)) ?? null;
    return given.rejected === null ? say : { ok: false as const, failure: given.rejected };
  };
  const key = freshKey();
  await enterIntoD1(key.connection);
  const ask = gateway({ CONNECTION: { getByName: () => ({ perform, screen: async () => null }) } as unknown as Env["CONNECTION"] });
  const answer = await ask(`/api/v1${path}`, {
    method,
    headers: { "X-Api-Key": key.key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (call === null) throw new Error("no object was asked");
  return { call, store, stored, answer };
}

/** Files are stored only for existing connections. */
async function enterIntoD1(uuid: string): Promise<void> {
  const { DB } = env as Env;
  await DB.batch([
    DB.prepare("INSERT OR IGNORE INTO user (id, name, email, created_at, updated_at) VALUES ('sender', 'S', 's@example.com', 0, 0)"),
    DB.prepare(
      "INSERT INTO connection (uuid, owner_id, name, kind, metadata, settings, created_at, updated_at) VALUES (?, 'sender', 'S', 'session', '{}', '{}', 0, 0)",
    ).bind(uuid),
  ]);
}

/** The operation's input as parsed by its own schema. */
function inputOf({ call }: Asked): any {
  expect(call.rejected).toBeNull();
  return OPERATIONS[call.operation as OperationName].input.parse(JSON.parse(call.input));
}
const send = (kind: string, body: Record<string, unknown>) => request("POST", `/messages/${kind}`, { to: TO, ...body });
const sendAndStore = async (kind: string, body: Record<string, unknown>) =>
  (await request("POST", `/messages/${kind}`, { to: TO, ...body }, undefined, true)).stored;
const fieldsOf = ({ call }: Asked) => (call.rejected?.issues ?? []).map(({ field }) => field).toSorted();

const option = (index: number) => `option ${index}`;
const row = { row_id: "a", title: "A" };

/** Kind, body and resulting content. */
const GOOD: readonly [kind: string, body: Record<string, unknown>, content: unknown][] = [
  [
    "text",
    { text: "a", link_preview: false, preview: { url: "https://example.com", title: "t" } },
    { kind: "text", text: "a", preview: null },
  ],
  [
    "text",
    { text: "a", preview: { url: "https://example.com", title: "t", image: media } },
    { kind: "text", text: "a", preview: { url: "https://example.com", title: "t", description: null, image: pending } },
  ],
  ["image", { media }, { kind: "image", media: pending, caption: null, view_once: false }],
  ["image", { media, caption: "", view_once: true }, { kind: "image", media: pending, caption: null, view_once: true }],
  ["image", { media, caption: LONG(1_024) }, { kind: "image", media: pending, caption: LONG(1_024), view_once: false }],
  [
    "video",
    { media: { url: "https://example.com/a.mp4" }, as_note: true, convert: false },
    { kind: "video", media: pending, caption: null, view_once: false, as_note: true, as_gif: false },
  ],
  ["audio", { media }, { kind: "audio", media: pending }],
  ["voice", { media }, { kind: "voice", media: pending, convert: true }],
  ["document", { media: { ...media, filename: "a.png" }, caption: "c" }, { kind: "document", media: pending, caption: "c" }],
  ["sticker", { media }, { kind: "sticker", media: pending }],
  [
    "location",
    { latitude: -90, longitude: 180 },
    { kind: "location", location: { latitude: -90, longitude: 180, name: null, address: null } },
  ],
  [
    "contact",
    {
      contacts: [
        { full_name: "Ana", phone: "5511900000003", organization: "ACME" },
        { vcard: "BEGIN:VCARD\nFN:Bia\nTEL:+551190000\nEND:VCARD" },
      ],
    },
    {
      kind: "contact",
      contacts: [
        {
          full_name: "Ana",
          phone: "5511900000003",
          vcard:
            "BEGIN:VCARD\nVERSION:3.0\nN:;Ana;;;\nFN:Ana\nORG:ACME\nTEL;type=CELL;type=VOICE;waid=5511900000003:+5511900000003\nEND:VCARD",
        },
        { full_name: "Bia", phone: "551190000", vcard: "BEGIN:VCARD\nFN:Bia\nTEL:+551190000\nEND:VCARD" },
      ],
    },
  ],
  ["poll", { question: "q", options: ["a", "b"] }, { kind: "poll", poll: { question: "q", options: ["a", "b"], selectable_count: 1 } }],
  [
    "poll",
    { question: LONG(255), options: Array.from({ length: 12 }, (_, index) => option(index)), selectable_count: 0 },
    { kind: "poll", poll: { question: LONG(255), options: Array.from({ length: 12 }, (_, index) => option(index)), selectable_count: 0 } },
  ],
  [
    "event",
    { name: "n", starts_at: "2030-01-15T14:00:00-03:00", ends_at: 1_894_735_600, location: { latitude: 1, longitude: 2, name: "x" } },
    {
      kind: "event",
      name: "n",
      description: null,
      starts_at: 1_894_726_800,
      ends_at: 1_894_735_600,
      location: { latitude: 1, longitude: 2, name: "x", address: null },
      extra_guests: false,
      cancelled: false,
    },
  ],
  ["group-invite", { group_id: "120363041234567890@g.us" }, { kind: "invite_to", group_id: "120363041234567890@g.us", text: null }],
  ["forward", { from_chat_id: TO, message_id: "a/b==" }, { kind: "forward_of", chat_id: `${TO}@c.us`, message_id: "a/b==" }],
  [
    "list",
    { body: "b", button: "x", sections: [{ title: "s", rows: [row] }] },
    { kind: "list", body: "b", header: null, footer: null, button: "x", sections: [{ title: "s", rows: [{ ...row, description: null }] }] },
  ],
  [
    "buttons",
    { body: "b", header: media, buttons: [{ button_id: "1", title: "t" }] },
    { kind: "buttons", body: "b", header: pending, footer: null, buttons: [{ button_id: "1", title: "t" }] },
  ],
  [
    "template",
    { name: "a_1", language: "pt_BR", components: [{ type: "body" }] },
    { kind: "template", name: "a_1", language: "pt_BR", components: '[{"type":"body"}]' },
  ],
];

/** Kind, body and names of the invalid fields. */
const BAD: readonly [kind: string, body: Record<string, unknown>, wrong: readonly string[]][] = [
  ["text", {}, ["text"]],
  ["text", { text: "" }, ["text"]],
  ["text", { text: "a", caption: "c" }, ["caption"]],
  ["text", { text: "a", typing_ms: 25_001 }, ["typing_ms"]],
  ["text", { text: "a", mentions: ["x"] }, ["mentions.0"]],
  ["text", { text: "a", preview: { url: "javascript:alert(1)", title: "t" } }, ["preview.url"]],
  ["text", { text: "a", message_id: "short" }, ["message_id"]],
  ["text", { text: "a", reference: "r".repeat(129) }, ["reference"]],
  ["image", {}, ["media"]],
  ["image", { media: {} }, ["media.url"]],
  ["image", { media: { ...media, url: "https://example.com" } }, ["media.url"]],
  ["image", { media: { base64: "not base64!" } }, ["media.base64"]],
  ["image", { media: { base64: "" } }, ["media.base64"]],
  ["image", { media: { base64: 5 } }, ["media.base64"]],
  ["image", { media: { url: `https://example.com/${"a".repeat(2048)}` } }, ["media.url"]],
  ["image", { media: { ...media, mimetype: "png" } }, ["media.mimetype"]],
  ["image", { media: { ...media, filename: "a".repeat(256) } }, ["media.filename"]],
  ["image", { media: { ...media, name: "a" } }, ["media.name"]],
  ["image", { media, caption: LONG(1_025) }, ["caption"]],
  ["image", { media, as_gif: true }, ["as_gif"]],
  ["video", { media, as_note: "yes" }, ["as_note"]],
  ["audio", { media, caption: "c" }, ["caption"]],
  ["voice", { media, view_once: true }, ["view_once"]],
  ["document", { media }, ["media.filename"]],
  ["sticker", { media, caption: "c" }, ["caption"]],
  ["location", { latitude: 90.1, longitude: -181 }, ["latitude", "longitude"]],
  ["location", { latitude: 1, longitude: 1, name: LONG(257) }, ["name"]],
  ["contact", { contacts: [] }, ["contacts"]],
  ["contact", { contacts: Array.from({ length: 21 }, () => ({ full_name: "A", phone: TO })) }, ["contacts"]],
  ["contact", { contacts: [{ full_name: "A" }] }, ["contacts.0.phone"]],
  ["contact", { contacts: [{ phone: TO }] }, ["contacts.0.full_name"]],
  ["contact", { contacts: [{ vcard: "FN:A" }] }, ["contacts.0.vcard"]],
  ["contact", { contacts: [{ vcard: "BEGIN:VCARD\nFN:A\nEND:VCARD", full_name: "A" }] }, ["contacts.0.vcard"]],
  ["contact", { contacts: [{ full_name: "A", phone: TO, email: "x" }] }, ["contacts.0.email"]],
  ["poll", { question: "q", options: ["a"] }, ["options"]],
  ["poll", { question: "q", options: ["a", "a"] }, ["options"]],
  ["poll", { question: LONG(256), options: ["a", LONG(101)] }, ["question", "options.1"]],
  ["poll", { question: "q", options: Array.from({ length: 13 }, (_, index) => option(index)) }, ["options"]],
  ["poll", { question: "q", options: ["a", "b"], selectable_count: 3 }, ["selectable_count"]],
  ["event", { name: "n" }, ["starts_at"]],
  ["event", { name: LONG(101), starts_at: "tomorrow" }, ["name", "starts_at"]],
  ["event", { name: "n", starts_at: "2030-01-15T14:00:00Z", ends_at: "2030-01-15T13:00:00Z" }, ["ends_at"]],
  ["group-invite", { group_id: TO }, ["group_id"]],
  ["group-invite", { group_id: "120363041234567890@g.us", text: LONG(1_025) }, ["text"]],
  ["forward", { from_chat_id: "nobody" }, ["from_chat_id", "message_id"]],
  ["list", { body: "b", button: "x", sections: [] }, ["sections"]],
  ["list", { body: "b", button: "x", sections: [{ title: "s", rows: [row, row] }] }, ["sections"]],
  ["list", { body: LONG(1_025), button: LONG(21), sections: [{ title: LONG(25), rows: [row] }] }, ["body", "button", "sections.0.title"]],
  ["buttons", { body: "b", buttons: Array.from({ length: 4 }, (_, index) => ({ button_id: `${index}`, title: "t" })) }, ["buttons"]],
  ["template", { name: "Não", language: "pt" }, ["name"]],
  ["template", { name: "a", language: "pt", components: ["x".repeat(16_400)] }, ["components"]],
];

describe("POST /messages/{kind}", () => {
  it.each(GOOD.map(([kind, body, content]) => ({ kind, body, content, fields: Object.keys(body) })))(
    "$kind takes $fields",
    async ({ kind, body, content }) => {
      const asked = await send(kind, body);
      expect(asked.call).toMatchObject({ operation: "messages.send", flags: { mutating: true, counted: false, cached: false } });
      expect(inputOf(asked)).toMatchObject({ to: TO, chat_id: null, source: "api", message_id: null, content });
      expect(asked.store === null).toBe(!JSON.stringify(content).includes("pending"));
    },
  );

  it.each(BAD.map(([kind, body, wrong]) => ({ kind, body, wrong: wrong.toSorted() })))(
    "$kind refuses a wrong $wrong",
    async ({ kind, body, wrong }) => {
      const asked = await send(kind, body);
      expect(asked.answer.status).toBe(400);
      expect(fieldsOf(asked)).toEqual(wrong);
      expect(asked.store).toBeNull();
    },
  );

  it.each([
    "text",
    "image",
    "video",
    "audio",
    "voice",
    "document",
    "sticker",
    "location",
    "contact",
    "poll",
    "list",
    "buttons",
    "template",
    "event",
    "forward",
    "group-invite",
  ])("%s wants exactly one destination and takes the common fields", async (kind) => {
    const body = GOOD.find(([name]) => name === kind)?.[1] ?? {};
    const chat = { ...body, chat_id: "120363041234567890@g.us" };
    const options = { mentions: [TO], mention_all: true, quoted_message_id: "Q", reference: "r", typing_ms: 25_000 };
    const input = inputOf(await request("POST", `/messages/${kind}`, { ...chat, ...options }));
    expect(input).toMatchObject({ ...options, to: null, chat_id: chat.chat_id });
    expect(fieldsOf(await request("POST", `/messages/${kind}`, body))).toEqual(["to"]);
    expect(fieldsOf(await request("POST", `/messages/${kind}`, { ...chat, to: TO }))).toEqual(["to"]);
    expect(fieldsOf(await request("POST", `/messages/${kind}`, { ...chat, txt: "typo" }))).toEqual(["txt"]);
  });

  it("stores the file when the object requests it, with its actual type", async () => {
    const stored = await sendAndStore("document", { media: { base64: PNG, filename: "ação.png", mimetype: "image/x-png" } });
    expect(stored).toMatchObject({ ok: true, value: [{ mimetype: "image/x-png", filename: "ação.png", size: 16 }] });
    const token = stored?.ok === true ? (stored.value[0]?.token ?? "") : "";
    const kept = await openMedia((env as Env).MEDIA, token, Date.now());
    expect(Buffer.from(await new Response(kept?.body).arrayBuffer()).toString("base64")).toBe(PNG);
    const wrong = await sendAndStore("sticker", { media: { base64: Buffer.from("GIF89a").toString("base64") } });
    expect(wrong).toMatchObject({ ok: false, failure: { code: "media_invalid" } });
    const voice = await sendAndStore("voice", { media: { base64: Buffer.from("ID3").toString("base64") }, convert: false });
    expect(voice).toMatchObject({
      failure: { details: { expected: "audio/ogg; codecs=opus", found: "audio/mpeg" } },
    });
  });

  it("answers with the result alone", async () => {
    const result = {
      message_id: "M",
      chat_id: `${TO}@c.us`,
      to: TO,
      to_resolved: null,
      is_group: false,
      type: "image",
      reference: null,
      timestamp: 5,
    };
    const { answer } = await request("POST", "/messages/image", { to: TO, media }, { ok: true, json: JSON.stringify(result) });
    expect([answer.status, await answer.json()]).toEqual([200, { ...result, status: "sent" }]);
  });

  it("describes a file's problem with its own error", async () => {
    const details = { reason: "wrong_format", expected: "image/jpeg", found: "unknown" };
    const { answer } = await request(
      "POST",
      "/messages/image",
      { to: TO, media },
      { ok: false, failure: { code: "media_invalid", details } },
    );
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({
      error: { codigo: "midia_invalida", detalhes: { motivo: "wrong_format", esperado: "image/jpeg", recebido: "unknown" } },
    });
  });
});

describe("a message operation", () => {
  const MESSAGE = "/chats/5511900000002@c.us/messages/a%2Fb%3D";
  const target = { chat_id: `${TO}@c.us`, message_id: "a/b=" };

  it.each([
    ["PUT", MESSAGE, { text: "b" }, "messages.edit", { ...target, text: "b" }],
    ["DELETE", MESSAGE, undefined, "messages.delete", { ...target, for_everyone: true }],
    ["DELETE", `${MESSAGE}?for_everyone=false`, undefined, "messages.delete", { ...target, for_everyone: false }],
    ["PUT", `${MESSAGE}/reaction`, { reaction: "👩‍👩‍👧‍👦" }, "messages.react", { ...target, reaction: "👩‍👩‍👧‍👦" }],
    ["PUT", `${MESSAGE}/reaction`, { reaction: "" }, "messages.react", { ...target, reaction: "" }],
    ["PUT", `${MESSAGE}/star`, { star: false }, "messages.star", { ...target, star: false }],
    ["POST", `${MESSAGE}/pin`, { duration_seconds: 604_800 }, "messages.pin", { ...target, seconds: 604_800 }],
    ["POST", `${MESSAGE}/unpin`, undefined, "messages.pin", { ...target, seconds: null }],
    ["GET", MESSAGE, undefined, "messages.get", target],
    ["GET", `${MESSAGE}/media`, undefined, "messages.media", target],
    ["GET", `${MESSAGE}/votes`, undefined, "messages.votes", target],
    ["DELETE", "/chats/5511900000002/messages", undefined, "messages.clear", { chat_id: `${TO}@c.us` }],
  ])("%s %s", async (method, path, body, operation, input) => {
    const asked = await request(method, path, body);
    expect(inputOf(asked)).toEqual(input);
    expect(asked.call).toMatchObject({ operation, flags: { mutating: method !== "GET", counted: false, cached: false } });
  });

  it.each([
    ["PUT", MESSAGE, {}, ["text"]],
    ["PUT", MESSAGE, { text: LONG(65_537) }, ["text"]],
    ["DELETE", `${MESSAGE}?for_everyone=1`, undefined, ["for_everyone"]],
    ["PUT", `${MESSAGE}/reaction`, { reaction: "ok" }, ["reaction"]],
    ["PUT", `${MESSAGE}/reaction`, { reaction: "👍👍" }, ["reaction"]],
    ["PUT", `${MESSAGE}/star`, {}, ["star"]],
    ["POST", `${MESSAGE}/pin`, { duration_seconds: 60 }, ["duration_seconds"]],
    ["POST", `${MESSAGE}/pin`, {}, ["duration_seconds"]],
    ["GET", `${MESSAGE}/media?format=binary`, undefined, ["format"]],
    ["GET", "/chats/nobody/messages/a", undefined, ["chatId"]],
  ])("%s %s refuses what is wrong", async (method, path, body, wrong) => {
    expect(fieldsOf(await request(method, path, body))).toEqual(wrong);
  });

  it("shows a file as a link, or complete in Base64 of any size", async () => {
    const bytes = Buffer.from(Array.from({ length: 1_000_001 }, (_, index) => (index * 7) % 251));
    const stored = await sendAndStore("document", { media: { base64: bytes.toString("base64"), filename: "a.bin" } });
    if (stored?.ok !== true) throw new Error("not stored");
    const token = stored.value[0]?.token ?? "";
    const output = { token, mimetype: "application/x-a", filename: "a.bin", size: bytes.length, expires_at: 1_900_000_000_000 };
    const say: CallResult = { ok: true, json: JSON.stringify(output) };
    expect(await (await request("GET", `${MESSAGE}/media`, undefined, say)).answer.json()).toEqual({
      data: { url: `https://app.example.com/api/midia/${token}.bin`, mimetype: "application/x-a", expires_at: "2030-03-17T17:46:40.000Z" },
    });
    const { answer } = await request("GET", `${MESSAGE}/media?format=base64`, undefined, say);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("x-request-id") !== null]).toEqual([
      200,
      "application/json",
      true,
    ]);
    const { data } = (await answer.json()) as { data: { base64: string; mimetype: string } };
    expect(data.mimetype).toBe("application/x-a");
    expect(Buffer.from(data.base64, "base64").equals(bytes)).toBe(true);
  });

  it("names the votes by phone", async () => {
    const items = [
      {
        option: "a",
        votes: 2,
        voters: [
          { phone: TO, lid: null },
          { phone: null, lid: "77" },
        ],
      },
    ];
    const { answer } = await request("GET", `${MESSAGE}/votes`, undefined, { ok: true, json: JSON.stringify({ items }) });
    expect(await answer.json()).toEqual({ data: [{ option: "a", votes: 2, voters: [TO, null] }] });
  });
});
