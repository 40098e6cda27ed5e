import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import type { Call, CallResult, StoreFiles } from "@gateway/protocol/connection.ts";
import { type ChatRecord, MessageRecord } from "@gateway/protocol/records.ts";
import { lookUpMedia } from "#root/src/services/media/open.ts";
import { type EnglishError, gateway, instanceOf, scriptedConnections } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

const found = (value: unknown): CallResult => ({ ok: true, json: JSON.stringify(value) });
const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (letter) => letter.charCodeAt(0),
);
const CHAT = "5511900000002@c.us";
const HIDDEN = "123456789012345@lid";

const record: MessageRecord = MessageRecord.parse({
  message_id: "3EB0AAAAAAAAAAAAAAAA",
  chat_id: HIDDEN,
  from_me: false,
  sender: { phone: null, lid: "123456789012345" },
  push_name: "Ana",
  timestamp: 1_700_000_000,
  type: "text",
  text: "oi",
  media: null,
  location: null,
  contacts: null,
  poll: null,
  selected: null,
  quoted: null,
  mentions: [],
  forwarded: false,
  view_once: false,
  recipient: null,
  status: null,
  failure: null,
  source: null,
  reference: null,
  starred: false,
  reactions: [{ from_me: false, sender: { phone: null, lid: "123456789012345" }, reaction: "👍", timestamp: 1_700_000_001 }],
  edited_at: null,
  deleted_at: null,
  timeline: { accepted_at: null, delivered_at: null, read_at: null, played_at: null },
});

const chat: ChatRecord = {
  chat_id: HIDDEN,
  kind: "direct",
  name: null,
  person: { phone: null, lid: "123456789012345" },
  unread_count: 1,
  marked_unread: false,
  archived: false,
  pinned: false,
  muted_until: null,
  disappearing_seconds: 0,
  label_ids: [],
  picture: null,
  last_message: {
    message_id: record.message_id,
    from_me: false,
    push_name: "Ana",
    filename: null,
    deleted: false,
    type: "text",
    text: "é".repeat(300),
    timestamp: 1_700_000_000,
  },
  updated_at: 1_700_000_000_000,
};

const sent = {
  message_id: "3EB0BBBBBBBBBBBBBBBB",
  chat_id: CHAT,
  to: "5511900000002",
  to_resolved: null,
  is_group: false,
  type: "text",
  reference: null,
  timestamp: 1_700_000_000,
};

/** A user with one connection, whose object responds from the script and stores a send's files. */
async function withConnection(script: (call: Call) => CallResult = () => found(sent)) {
  const owner = await someone();
  const stored: unknown[] = [];
  const objects = scriptedConnections(script);
  const base = objects.CONNECTION as unknown as { getByName: (name: string) => { perform: (call: Call) => Promise<CallResult> } };
  const CONNECTION = {
    getByName: (name: string) => {
      const stub = base.getByName(name);
      return {
        ...stub,
        perform: async (call: Call, files: StoreFiles | null) => {
          const record = objects.records.findLast(({ uuid }) => uuid === name);
          if (call.operation === "instance.get" && record !== undefined) return found(instanceOf(record));
          const taken = await files?.(60_000);
          if (taken !== undefined) stored.push(taken);
          return taken?.ok === false ? taken : stub.perform(call);
        },
      };
    },
  } as unknown as Env["CONNECTION"];
  const ask = gateway({ CONNECTION });
  const made = await ask("/api/dashboard/connections", { method: "POST", headers: owner.headers, body: '{"name":"Loja"}' });
  const { data } = (await made.json()) as { data: { id: number; instance_id: string } };
  const path = (rest: string) => `/api/dashboard/connections/${data.id}${rest}`;
  const request = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(path(rest), { method, headers: { ...owner.headers, ...headers }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const upload = async (bytes: Uint8Array, type = "image/png", rest = "/media?filename=ponto.png") =>
    ask(path(rest), { method: "POST", headers: { ...owner.headers, "content-type": type }, body: bytes });
  const calls = () => objects.calls.filter(({ operation }) => operation !== "instance.get" && operation !== "uploads.claim");
  return { owner, request, upload, stored, calls, instanceId: data.instance_id };
}

const inputOf = (call: Call | undefined) => JSON.parse(call?.input ?? "null") as Record<string, unknown>;
const refusalOf = async (answer: Response) => [answer.status, ((await answer.json()) as EnglishError).error.code];

describe("a send of the dashboard", () => {
  it("has the id that the page chose, if the id looks like one of the network's web client", async () => {
    const { request, calls } = await withConnection();
    const message_id = "3EB00123456789ABCDEF01";
    expect((await request("POST", "/messages", { kind: "text", chat_id: CHAT, text: "oi", message_id })).status).toBe(201);
    expect(inputOf(calls()[0])).toMatchObject({ message_id });
    for (const other of ["", "3EB0", "3eb00123456789abcdef01", "AAAA0123456789ABCDEF01", "3EB00123456789ABCDEF0123"]) {
      const refused = await request("POST", "/messages", { kind: "text", chat_id: CHAT, text: "oi", message_id: other });
      expect([other, refused.status]).toEqual([other, 400]);
    }
  });

  it("names its source, and its quote", async () => {
    const { request, calls } = await withConnection();
    const answer = await request("POST", "/messages", { kind: "text", to: "5511900000002", text: "Olá", quoted_message_id: "ABC" });
    expect([answer.status, await answer.json()]).toEqual([
      201,
      { data: { message_id: sent.message_id, chat_id: CHAT, to: sent.to, type: "text", at: "2023-11-14T22:13:20.000Z", waits: false } },
    ]);
    expect(calls().map(({ operation, flags }) => [operation, flags.mutating])).toEqual([["messages.send", true]]);
    expect(inputOf(calls()[0])).toMatchObject({ to: "5511900000002", chat_id: null, source: "dashboard", quoted_message_id: "ABC" });
  });

  it("counts 65,536 characters as code points", async () => {
    const { request } = await withConnection();
    expect((await request("POST", "/messages", { kind: "text", chat_id: CHAT, text: "😀".repeat(65_536) })).status).toBe(201);
    const more = await request("POST", "/messages", { kind: "text", chat_id: CHAT, text: `${"😀".repeat(65_536)}!` });
    expect(await refusalOf(more)).toEqual([400, "validation_error"]);
  });

  it("has exactly one destination, and only the fields of its kind", async () => {
    const { request, calls } = await withConnection();
    for (const body of [
      { kind: "text", text: "a" },
      { kind: "text", text: "a", to: "5511900000002", chat_id: CHAT },
      { kind: "text", text: "a", chat_id: "nobody" },
      { kind: "text", text: "a", chat_id: CHAT, media: "x" },
      { kind: "poll", chat_id: CHAT, question: "?", options: ["a", "a"] },
      { kind: "poll", chat_id: CHAT, question: "?", options: ["a", "b"], selectable_count: 3 },
      { kind: "event", chat_id: CHAT },
    ])
      expect([body, ...(await refusalOf(await request("POST", "/messages", body)))]).toEqual([body, 400, "validation_error"]);
    expect(calls()).toEqual([]);
  });

  it("carries places, people, polls and forwarded messages", async () => {
    const { request, calls } = await withConnection();
    await request("POST", "/messages", { kind: "location", chat_id: CHAT, latitude: -23.5, longitude: -46.6 });
    await request("POST", "/messages", { kind: "contact", chat_id: CHAT, contacts: [{ full_name: "Ana", phone: "5511900000003" }] });
    await request("POST", "/messages", { kind: "poll", chat_id: CHAT, question: "Qual?", options: ["a", "b"] });
    await request("POST", "/messages", { kind: "forward", chat_id: CHAT, source: { chat_id: HIDDEN, message_id: record.message_id } });
    expect(calls().map((call) => inputOf(call)["content"])).toEqual([
      { kind: "location", location: { latitude: -23.5, longitude: -46.6, name: null, address: null } },
      { kind: "contact", contacts: [{ full_name: "Ana", phone: "5511900000003", vcard: expect.stringContaining("waid=5511900000003") }] },
      { kind: "poll", poll: { question: "Qual?", options: ["a", "b"], selectable_count: 1 } },
      { kind: "forward_of", chat_id: HIDDEN, message_id: record.message_id },
    ]);
  });

  it("passes on an unknown outcome, with the message's id", async () => {
    const failure = { code: "send_outcome_unknown", details: { message_id: sent.message_id } } as const;
    const { request } = await withConnection(() => ({ ok: false, failure }));
    const answer = await request("POST", "/messages", { kind: "text", chat_id: CHAT, text: "a" });
    expect([answer.status, ((await answer.json()) as EnglishError).error.details]).toEqual([424, { message_id: sent.message_id }]);
  });
});

describe("a file of the dashboard", () => {
  it("is uploaded first, and copied for the send that names it", async () => {
    const { request, upload, stored, calls, instanceId } = await withConnection();
    const made = await upload(PNG);
    const { data } = (await made.json()) as { data: { id: string } };
    expect([made.status, data]).toMatchObject([201, { mimetype: "image/png", filename: "ponto.png", size: PNG.length }]);
    expect(await lookUpMedia(env.MEDIA, data.id, Date.now())).toMatchObject({ connection: instanceId, sizeBytes: PNG.length });
    const answer = await request("POST", "/messages", { kind: "image", chat_id: CHAT, media: data.id, caption: "Um ponto" });
    expect(answer.status).toBe(201);
    expect(inputOf(calls()[0])["content"]).toMatchObject({ kind: "image", caption: "Um ponto" });
    expect(stored).toEqual([
      { ok: true, value: [{ token: expect.any(String), mimetype: "image/png", filename: "ponto.png", size: PNG.length }] },
    ]);
    expect(JSON.stringify(stored)).not.toContain(data.id);
  });

  it("is read in parts, as players ask for it", async () => {
    let token = "";
    const media = () => found({ token, mimetype: "audio/ogg", filename: null, size: PNG.length, expires_at: 4_000_000_000 });
    const { request, upload } = await withConnection(media);
    token = ((await (await upload(PNG)).json()) as { data: { id: string } }).data.id;
    const part = async (range?: string) => {
      const headers = range === undefined ? {} : { range };
      const answer = await request("GET", `/chats/${CHAT}/messages/3EB0AAAAAAAAAAAAAAAA/media`, undefined, headers);
      return [answer.status, answer.headers.get("content-range"), new Uint8Array(await answer.arrayBuffer())];
    };
    expect(await part()).toEqual([200, null, PNG]);
    expect(await part("bytes=2-5")).toEqual([206, `bytes 2-5/${PNG.length}`, PNG.slice(2, 6)]);
    expect(await part("bytes=-3")).toEqual([206, `bytes ${PNG.length - 3}-${PNG.length - 1}/${PNG.length}`, PNG.slice(-3)]);
    expect(await part(`bytes=${PNG.length}-`)).toEqual([416, `bytes */${PNG.length}`, new Uint8Array()]);
  });

  it("is another request when it is another file", async () => {
    const { request, upload, calls } = await withConnection();
    for (const bytes of [PNG, PNG]) {
      const { data } = (await (await upload(bytes)).json()) as { data: { id: string } };
      await request("POST", "/messages", { kind: "image", chat_id: CHAT, media: data.id });
    }
    const [first, second] = calls().map(({ fingerprint }) => fingerprint);
    expect(first).not.toBe(second);
  });

  it("is of its own connection alone", async () => {
    const [mine, other] = [await withConnection(), await withConnection()];
    const { data } = (await (await mine.upload(PNG)).json()) as { data: { id: string } };
    expect(await refusalOf(await other.request("POST", "/messages", { kind: "image", chat_id: CHAT, media: data.id }))).toEqual([
      410,
      "media_expired",
    ]);
    expect(await refusalOf(await mine.request("POST", "/messages", { kind: "image", chat_id: CHAT, media: "x" }))).toEqual([
      410,
      "media_expired",
    ]);
  });

  it("must be of its declared kind", async () => {
    const { request, upload } = await withConnection();
    const { data } = (await (await upload(new TextEncoder().encode("words"), "text/plain")).json()) as { data: { id: string } };
    expect(await refusalOf(await request("POST", "/messages", { kind: "image", chat_id: CHAT, media: data.id }))).toEqual([
      422,
      "media_invalid",
    ]);
  });

  it("is not stored when it is empty or too large", async () => {
    const { upload } = await withConnection();
    expect(await refusalOf(await upload(new Uint8Array(0)))).toEqual([422, "media_invalid"]);
    expect(await refusalOf(await upload(new Uint8Array(26_214_401)))).toEqual([413, "media_too_large"]);
  });
});

describe("a message in the dashboard", () => {
  it("shows no @lid as a phone", async () => {
    const { request } = await withConnection((call) =>
      call.operation === "chats.list" ? found({ items: [chat], next_cursor: null }) : found({ items: [record], next_cursor: "c" }),
    );
    const chats = (await (await request("GET", "/chats?q=")).json()) as {
      data: { phone: null; last_message: { text: string; push_name: string | null; filename: string | null } }[];
    };
    expect([chats.data[0]?.phone, chats.data[0]?.last_message.text.length]).toEqual([null, 200]);
    expect(chats.data[0]?.last_message).toMatchObject({ push_name: "Ana", filename: null });
    const messages = (await (await request("GET", `/chats/${HIDDEN}/messages`)).json()) as { data: object[] };
    expect(messages).toMatchObject({
      data: [{ from: null, push_name: "Ana", reactions: [{ from: null, reaction: "👍" }] }],
      next_cursor: "c",
    });
  });

  it("has the preview of its link, until an edit", async () => {
    const preview = { url: "https://a.example", title: "t", description: null, thumbnail: "/9j/" };
    const items = [
      { ...record, preview },
      { ...record, preview, edited_at: 1_700_000_001_000 },
    ];
    const { request } = await withConnection(() => found({ items, next_cursor: null }));
    const messages = (await (await request("GET", `/chats/${HIDDEN}/messages`)).json()) as { data: { preview: unknown }[] };
    expect(messages.data.map((message) => message.preview)).toEqual([preview, null]);
  });

  it("has its times, and the state of its file", async () => {
    const own = { ...record, from_me: true, sender: null, status: "failed", failure: { code: "new_chat_refused" }, source: "dashboard" };
    const { request } = await withConnection((call) =>
      call.operation === "messages.get" ? found(own) : { ok: false, failure: { code: "media_expired" } },
    );
    const one = (await (await request("GET", `/messages/${record.message_id}`)).json()) as { data: object };
    expect(one.data).toMatchObject({ status: "failed", error: "new_chat_refused", source: "dashboard", timeline: { accepted_at: null } });
    expect(await refusalOf(await request("GET", `/chats/${CHAT}/messages/${record.message_id}/media`))).toEqual([410, "media_expired"]);
  });

  it("returns a file itself, never a link to it", async () => {
    let token = "";
    const { request, upload } = await withConnection(() =>
      found({ token, mimetype: "image/png", filename: "ponto.png", size: PNG.length, expires_at: Date.now() + 60_000 }),
    );
    token = ((await (await upload(PNG)).json()) as { data: { id: string } }).data.id;
    const answer = await request("GET", `/chats/${CHAT}/messages/${record.message_id}/media`);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      200,
      "image/png",
      "no-store",
    ]);
    expect(answer.headers.get("content-disposition")).toMatch(/^inline; filename="ponto.png"/);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(PNG);
  });

  it("is reacted to, edited, deleted and marked as read by its ids", async () => {
    const { request, calls } = await withConnection((call) => found(call.operation === "messages.edit" ? record : {}));
    const message = `/chats/${CHAT}/messages/${record.message_id}`;
    expect((await request("PUT", `${message}/reaction`, { reaction: "👍" })).status).toBe(200);
    expect(await refusalOf(await request("PUT", `${message}/reaction`, { reaction: "no" }))).toEqual([400, "validation_error"]);
    expect((await request("PUT", message, { text: "Oi" })).status).toBe(200);
    expect((await request("PUT", `${message}/star`, { starred: true })).status).toBe(200);
    expect((await request("DELETE", message)).status).toBe(200);
    expect((await request("POST", `/chats/${CHAT}/seen`)).status).toBe(200);
    const target = { chat_id: CHAT, message_id: record.message_id };
    expect(calls().map((call) => [call.operation, inputOf(call)])).toEqual([
      ["messages.react", { ...target, reaction: "👍" }],
      ["messages.edit", { ...target, text: "Oi" }],
      ["messages.star", { ...target, star: true }],
      ["messages.delete", { ...target, for_everyone: true }],
      ["chats.seen", { chat_id: CHAT }],
    ]);
  });

  it("shows who voted in its poll, also people who hide their number", async () => {
    const voters = [
      { phone: "5511900000002", lid: null },
      { phone: null, lid: "77@lid" },
    ];
    const { request } = await withConnection(() => found({ items: [{ option: "Verde", votes: 2, voters }] }));
    expect(await (await request("GET", `/chats/${CHAT}/messages/${record.message_id}/votes`)).json()).toEqual({
      data: [{ option: "Verde", voters: ["5511900000002", null] }],
    });
  });

  it("is found in one chat or in all, by text, or among files only", async () => {
    const { request, calls } = await withConnection(() => found({ items: [record], next_cursor: null }));
    expect((await request("GET", `/chats/${CHAT}/messages?q=oi&only=files`)).status).toBe(200);
    expect(await (await request("GET", "/messages?q=oi")).json()).toMatchObject({ data: [{ chat_id: HIDDEN, starred: false }] });
    expect(await refusalOf(await request("GET", "/messages?q="))).toEqual([400, "validation_error"]);
    expect(calls().map(inputOf)).toMatchObject([
      { chat_id: CHAT, q: "oi", only: "files" },
      { chat_id: null, q: "oi", both_sides: true },
    ]);
  });

  it("can be preceded by a check of the recipient's number", async () => {
    const { request, calls } = await withConnection(() => found({ items: [{ phone: "5511900000002", found: null }] }));
    expect(await (await request("GET", "/contacts/check?phone=5511900000002")).json()).toEqual({ data: { phone: null } });
    expect(await refusalOf(await request("GET", "/contacts/check?phone=abc"))).toEqual([400, "validation_error"]);
    expect(calls().map((call) => [call.operation, call.flags.mutating])).toEqual([["contacts.check", false]]);
  });
});

describe("the full view of a connection", () => {
  it("combines its object's state with its owner's settings", async () => {
    const { request } = await withConnection();
    const changed = await request("PATCH", "", { settings: { reject_calls: true, pacing: { min_gap_ms: 500 } } });
    expect([changed.status, await changed.json()]).toMatchObject([
      200,
      { data: { settings: { reject_calls: true, ignore_status: true, pacing: { min_gap_ms: 500, reply_only: false } } } },
    ]);
    await request("PATCH", "", { name: "Centro", settings: { pacing: { reply_only: true } } });
    const whole = (await (await request("GET", "")).json()) as { data: object };
    expect(whole.data).toMatchObject({
      name: "Centro",
      status_changed_at: "2023-11-14T22:13:20.000Z",
      restriction: null,
      reconnect: null,
      settings: { reject_calls: true, pacing: { min_gap_ms: 500, reply_only: true } },
    });
    expect(await refusalOf(await request("PATCH", "", {}))).toEqual([400, "validation_error"]);
    expect(await refusalOf(await request("PATCH", "", { settings: { colour: 1 } }))).toEqual([400, "validation_error"]);
  });

  it("shows health, capabilities and history", async () => {
    const { request } = await withConnection((call) => {
      if (call.operation === "instance.capabilities") return found({ kind: "session", is_business: null });
      if (call.operation === "instance.history") return found({ state: "running", progress: 40, chats: 3, messages: 9 });
      return found({
        score: 60,
        level: "restricted",
        restriction: { type: "new_chats_blocked", enforcement: "x", ends_at: 1_700_003_600, detected_at: 1_700_000_000 },
        new_chat_quota: { total: 10, used: 10, cycle_ends_at: null, status: "capped" },
        quality_rating: null,
        sends_24h: 4,
        failed_24h: 1,
        code463_24h: { cold: 1, warm: 0 },
        delivered_rate_24h: 0.75,
        read_rate_24h: null,
        reconnects_24h: 0,
        last_inbound_at: null,
        connected_since: 1_700_000_000_000,
        checked_at: null,
      });
    });
    const [health, capabilities, history] = await Promise.all(
      ["health", "capabilities", "history"].map(async (read) => (await (await request("GET", `/${read}`)).json()) as { data: object }),
    );
    expect(health?.data).toMatchObject({ level: "restricted", restriction: { ends_at: "2023-11-14T23:13:20.000Z" }, score: 60 });
    expect(capabilities?.data).toMatchObject({ kind: "session", is_business: null, limits: { text_characters: 65_536 } });
    expect(history?.data).toEqual({ state: "running", progress: 40, chats: 3, messages: 9 });
  });
});

describe("a waiting message", () => {
  const at = "2030-01-15T09:00:00-03:00";
  const waiting = {
    message_id: record.message_id,
    chat_id: CHAT,
    to: "5511900000002",
    type: "text",
    text: "Bom dia",
    media: null,
    reference: null,
    source: "dashboard",
    at: Date.parse(at),
    until: Date.parse(at) + 86_400_000,
    accepted_at: 1_700_000_000_000,
    waits_for: "time",
  };

  it("is sent with its time, listed, changed and cancelled", async () => {
    const { request, calls } = await withConnection(({ operation }) => {
      if (operation === "messages.send")
        return found({ ...waiting, to_resolved: null, is_group: false, timestamp: 1_700_000_000, delivery: waiting });
      if (operation === "waiting.list") return found({ items: [waiting], next_cursor: null });
      return found(operation === "waiting.cancel" ? { count: 1 } : waiting);
    });
    const body = { kind: "text", chat_id: CHAT, text: "Bom dia" };
    const accepted = await request("POST", "/messages", { ...body, delivery: { at } });
    expect([accepted.status, await accepted.json()]).toMatchObject([201, { data: { waits: true } }]);
    expect((await request("POST", "/messages", { ...body, delivery: { at: null } })).status).toBe(201);
    for (const wrong of [{ at: "amanhã" }, { at: "2030-01-15T09:00:00" }, {}])
      expect(await refusalOf(await request("POST", "/messages", { ...body, delivery: wrong }))).toEqual([400, "validation_error"]);
    const listed = await (await request("GET", `/waiting?chat_id=${CHAT}`)).json();
    expect(listed).toMatchObject({ data: [{ text: "Bom dia", at: "2030-01-15T12:00:00.000Z", waits_for: "time" }] });
    const one = `/waiting/${record.message_id}`;
    const until = "2030-01-17T09:00:00-03:00";
    expect((await request("PATCH", one, { at, until, text: "Boa tarde" })).status).toBe(200);
    expect(await refusalOf(await request("PATCH", one, {}))).toEqual([400, "validation_error"]);
    expect(await (await request("DELETE", one)).json()).toEqual({ data: { count: 1 } });
    expect(await refusalOf(await request("DELETE", "/waiting", {}))).toEqual([400, "validation_error"]);
    for (const chat_id of [CHAT, null])
      expect(await (await request("DELETE", "/waiting", { chat_id })).json()).toEqual({ data: { count: 1 } });
    expect(calls().map((call) => [call.operation, inputOf(call)])).toMatchObject([
      ["messages.send", { source: "dashboard", delivery: { at: Date.parse(at), until: null } }],
      ["messages.send", { delivery: { at: null, until: null } }],
      ["waiting.list", { chat_id: CHAT, limit: 50, cursor: null }],
      ["waiting.change", { message_id: record.message_id, at: Date.parse(at), until: Date.parse(until), text: "Boa tarde" }],
      ["waiting.cancel", { message_id: record.message_id, chat_id: null }],
      ["waiting.cancel", { message_id: null, chat_id: CHAT }],
      ["waiting.cancel", { message_id: null, chat_id: null }],
    ]);
  });
});
