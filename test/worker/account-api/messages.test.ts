// The history of a chat.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import type { Env } from "#root/src/env.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import { OTHER } from "../fakes/connection.ts";
import { mine, taken, theirText } from "../fakes/messages.ts";
import { allDisconnected, connectedInstance } from "../support/account-session.ts";
import { codeOf, holder } from "../support/accounts.ts";
import { freshAddress, gateway } from "../support/gateway.ts";

afterEach(allDisconnected);

const CHAT = `${OTHER}@c.us`;
const START = 1_900_000_000;
const NO_FACTS = { sha256: null, duration_seconds: null, width: null, height: null };

async function history(count: number, change: (n: number) => object = () => ({})) {
  const { call } = await holder();
  const { id, session } = await connectedInstance(call);
  const events = Array.from({ length: count }, (_, n) => ({
    type: "message.upsert" as const,
    message: theirText(`M${n}`, `text ${n}`, { timestamp: START + n, ...change(n) }),
    origin: "live" as const,
  }));
  await session.commit(events);
  const read = (query = "", chat = CHAT) => call("GET", `/instances/${id}/chats/${chat}/messages${query}`);
  return { id, read, session };
}

const idsOf = (body: { data: { message_id: string }[] }) => body.data.map(({ message_id }) => message_id);

describe("messages of a chat", () => {
  it("show people as chat ids and times in ISO 8601", async () => {
    const { read } = await history(1);
    expect((await read()).body).toEqual({
      data: [
        expect.objectContaining({
          message_id: "M0",
          chat_id: CHAT,
          from: CHAT,
          phone: OTHER,
          from_me: false,
          is_group: false,
          participant: null,
          push_name: "Bia",
          type: "text",
          text: "text 0",
          media: null,
          status: null,
          timestamp: new Date(START * 1000).toISOString(),
        }),
      ],
      next_cursor: null,
    });
  });

  it("come newest first, fifty by default, and page by cursor", async () => {
    const { read } = await history(60);
    const all = Array.from({ length: 60 }, (_, n) => `M${59 - n}`);
    const first = (await read()).body;
    expect(idsOf(first)).toEqual(all.slice(0, 50));
    expect(idsOf((await read(`?cursor=${encodeURIComponent(first.next_cursor)}`)).body)).toEqual(all.slice(50));
    expect(idsOf((await read("?limit=2")).body)).toEqual(all.slice(0, 2));
    expect(idsOf((await read("?limit=200")).body)).toEqual(all);
    for (const limit of ["0", "201", "x"]) expect(codeOf(await read(`?limit=${limit}`))).toEqual([400, "validation_error"]);
    const middle = new Date((START + 30) * 1000).toISOString();
    expect(idsOf((await read(`?before=${middle}`)).body)).toEqual(all.slice(30));
    expect(idsOf((await read(`?q=${encodeURIComponent("text 17")}`)).body)).toEqual(["M17"]);
    expect(idsOf((await read("?from_me=true")).body)).toEqual([]);
  });

  it("are found by every spelling of the chat's id; an unknown chat has none", async () => {
    const { read } = await history(1);
    for (const chat of [CHAT, OTHER, `${OTHER}@s.whatsapp.net`, encodeURIComponent(CHAT)])
      expect([chat, idsOf((await read("", chat)).body)]).toEqual([chat, ["M0"]]);
    expect((await read("", "5511999999999@c.us")).body).toEqual({ data: [], next_cursor: null });
    expect(codeOf(await read("", "nonsense"))).toEqual([400, "validation_error"]);
  });
});

describe("an edited message", () => {
  it("is returned by its edit, and again for a repeated key", async () => {
    const { call } = await holder();
    const { id, session } = await connectedInstance(call);
    await session.commit([mine("M")]);
    const edit = () => call("PUT", `/instances/${id}/chats/${CHAT}/messages/M`, { text: "better" }, { "idempotency-key": "an-edit" });
    const editing = edit();
    expect((await taken(session)).content).toMatchObject({ kind: "edit", text: "better" });
    const { status, body } = await editing;
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ message_id: "M", from_me: true, text: "better", edited_at: expect.stringMatching(/Z$/) });
    expect((await edit()).body).toEqual(body);
  });
});

describe("downloadMedia", () => {
  const bytes = new TextEncoder().encode("the file itself");
  const media = (token: string | null) => ({
    type: "document",
    media: { ...NO_FACTS, token, mimetype: "text/plain", filename: "a.txt", size: bytes.length },
  });

  it("adds the content of files to their links, null when it is no longer stored", async () => {
    const about = { connection: crypto.randomUUID(), mimetype: "text/plain", filename: "a.txt", expiresAt: Date.now() + 60_000 };
    const body = new Response(bytes).body as ReadableStream<Uint8Array>;
    const token = await storeMedia((env as Env).MEDIA, { ...about, sizeBytes: bytes.length }, body);
    const { read } = await history(3, (n) => (n === 0 ? media(token) : n === 1 ? media(null) : {}));
    const [text, gone, file] = (await read("?downloadMedia=true")).body.data;
    expect(text.media).toBeNull();
    expect(gone.media).toMatchObject({ url: null, base64: null });
    expect(atob(file.media.base64)).toBe("the file itself");
    expect(file.media.url).toMatch(/^https:\/\/app\.example\.com\/api\/midia\/\w+\.txt$/);
    const [, , plain] = (await read("?downloadMedia=false")).body.data;
    expect(plain.media).not.toHaveProperty("base64");
  });
});

describe("the file of a message", () => {
  const CONTENT = "<script>alert(1)</script>";

  async function withFile(change: { mimetype?: string; filename?: string | null } = {}) {
    const about = { connection: crypto.randomUUID(), mimetype: "text/html", filename: "page.html", ...change };
    const expiresAt = Date.now() + 60_000;
    const body = new Response(CONTENT).body as ReadableStream<Uint8Array>;
    const token = (await storeMedia((env as Env).MEDIA, { ...about, expiresAt, sizeBytes: CONTENT.length }, body)) ?? "";
    const { call, key } = await holder();
    const { id, session } = await connectedInstance(call);
    const media = { ...NO_FACTS, token, mimetype: about.mimetype, filename: about.filename, size: CONTENT.length };
    const events = [theirText("FILE", "", { type: "document", media, raw: null }), theirText("TEXT", "no file")];
    await session.commit(events.map((message) => ({ type: "message.upsert" as const, message, origin: "live" as const })));
    const path = (message: string, query: string) => `/instances/${id}/chats/${CHAT}/messages/${message}/media${query}`;
    const bytes = () => gateway()(`/api${path("FILE", "")}`, { headers: { "x-api-key": key, "cf-connecting-ip": freshAddress() } });
    return { bytes, token, expiresAt, json: (query: string, message = "FILE") => call("GET", path(message, query)) };
  }

  it("is returned as bytes, under a safe name, and never executes", async () => {
    const { bytes } = await withFile({ filename: 'a"\r\nSet-Cookie: x=1;é.html' });
    const answer = await bytes();
    expect([answer.status, await answer.text()]).toEqual([200, CONTENT]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": String(CONTENT.length),
      "content-disposition": `attachment; filename="a_Set-Cookie: x=1__.html"; filename*=UTF-8''a%22Set-Cookie%3A%20x%3D1%3B%C3%A9.html`,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none';/),
    });
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  it.each([
    ["audio/ogg; codecs=opus", "audio/ogg"],
    ["audio/x-m4a", "audio/mp4"],
    ["application/pdf", "application/octet-stream"],
    ["what it wants to be", "application/octet-stream"],
    ["text/html, image/png", "application/octet-stream"],
  ])("has its declared type %s sent as %s", async (mimetype, type) => {
    const answer = await (await withFile({ mimetype, filename: null })).bytes();
    expect([answer.headers.get("content-type"), answer.headers.get("content-disposition")]).toEqual([type, "attachment"]);
    await answer.text();
  });

  it("comes as Base64 or as a link when asked for", async () => {
    const { json, token, expiresAt } = await withFile();
    const { data } = (await json("?format=base64")).body;
    expect([atob(data.base64), data.mimetype]).toEqual([CONTENT, "text/html"]);
    expect((await json("?format=url")).body).toEqual({
      data: {
        url: `https://app.example.com/api/midia/${token}.html`,
        mimetype: "text/html",
        expires_at: new Date(expiresAt).toISOString(),
      },
    });
    expect(codeOf(await json("?format=hex"))).toEqual([400, "validation_error"]);
    expect(codeOf(await json("", "TEXT"))).toEqual([404, "message_not_found"]);
    expect(codeOf(await json("", "NEVER"))).toEqual([404, "message_not_found"]);
  });

  it("is reported as expired in every format once it is permanently gone", async () => {
    const { json, token } = await withFile();
    await (env as Env).MEDIA.delete(mediaKey(token));
    for (const format of ["binary", "base64", "url"]) expect(codeOf(await json(`?format=${format}`))).toEqual([410, "media_expired"]);
  });
});
