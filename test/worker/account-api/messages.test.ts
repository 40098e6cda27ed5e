// The history of a chat.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { Env } from "../../../src/env.ts";
import { storeMedia } from "../../../src/services/media/store.ts";
import { OTHER } from "../fakes/connection.ts";
import { theirText } from "../fakes/messages.ts";
import { allDisconnected, connectedInstance } from "../support/account-session.ts";
import { codeOf, holder } from "../support/accounts.ts";

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
