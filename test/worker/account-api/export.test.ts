// The export of an account and its instances: complete, in pages, without secrets, and with working file links.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import type { NetworkMessage } from "@gateway/protocol/message.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { identifyUser } from "#root/src/services/callers/identify.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import { addShare } from "#root/src/services/shares/shares.ts";
import { OTHER } from "../fakes/connection.ts";
import { ownText, theirText } from "../fakes/messages.ts";
import { allDisconnected, connectedInstance } from "../support/account-session.ts";
import { type Calls, codeOf, holder } from "../support/accounts.ts";
import { gateway } from "../support/gateway.ts";

afterEach(allDisconnected);

type Exported = { kind: string; record: any };

/** All pages of an instance's export. */
async function exported(call: Calls, id: string, limit = 500): Promise<{ records: Exported[]; pages: number }> {
  const records: Exported[] = [];
  let pages = 0;
  for (let cursor: string | null = ""; cursor !== null; pages += 1) {
    const page = await call("GET", `/instances/${id}/export?limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`);
    expect(page.status).toBe(200);
    records.push(...page.body.data);
    cursor = page.body.next_cursor;
  }
  return { records, pages };
}
const recordsOf = (records: readonly Exported[], kind: string) => records.filter((each) => each.kind === kind).map(({ record }) => record);
const arrived = (message: NetworkMessage) =>
  ({ type: "message.upsert", origin: message.from_me ? "own_device" : "live", message }) as const;

async function file(connection: string, text: string) {
  const about = { connection, mimetype: "image/png", filename: "foto.png", sizeBytes: text.length, expiresAt: Date.now() + DAY_MS };
  const token = await storeMedia(env.MEDIA, about, new Blob([text]).stream());
  return {
    token,
    mimetype: "image/png",
    filename: "foto.png",
    size: text.length,
    sha256: null,
    duration_seconds: null,
    width: null,
    height: null,
  };
}

describe("the export of an instance", () => {
  it("contains all stored data exactly once, in pages of any size", async () => {
    const { call } = await holder();
    const { id, session } = await connectedInstance(call, { settings: { message_retention_days: 3_650 } });
    const media = await file(id, "bytes of the picture");
    await session.commit([
      { type: "contact.updated", person: { phone: OTHER, lid: "123456" }, name: "Bia", is_saved: true } as never,
      arrived(theirText("M1", "Olá", { timestamp: 1_760_000_000 })),
      arrived(theirText("M2", "Foto", { type: "image", media, timestamp: 1_760_000_001 })),
      arrived(ownText("M3", "Resposta", { timestamp: 1_750_000_000 })),
    ]);
    const whole = await exported(call, id);
    expect(whole.pages).toBe(1);
    expect(recordsOf(whole.records, "instance")).toMatchObject([
      { id, settings: { message_retention_days: 3_650 }, connection_keys: [], connection_webhook: null },
    ]);
    expect(recordsOf(whole.records, "contact")).toMatchObject([{ phone: OTHER, name: "Bia" }]);
    expect(recordsOf(whole.records, "chat")).toMatchObject([{ chat_id: `${OTHER}@c.us` }]);
    const messages = recordsOf(whole.records, "message");
    expect(messages.map(({ message_id, text }) => [message_id, text])).toEqual([
      ["M1", "Olá"],
      ["M2", "Foto"],
      ["M3", "Resposta"],
    ]);
    expect(await (await gateway()(new URL(messages[1].media.url).pathname)).text()).toBe("bytes of the picture");
    expect(JSON.stringify(whole.records)).not.toContain("123456");
    const inPages = await exported(call, id, 1);
    expect(inPages.pages).toBe(whole.records.length);
    expect(inPages.records.slice(1)).toEqual(whole.records.slice(1));
  });

  it("misses nothing that moves during the export", async () => {
    const { call } = await holder();
    const { id, session } = await connectedInstance(call);
    const from = (index: number, messageId: string, timestamp: number) => {
      const phone = `551190000${1000 + index}`;
      return arrived(theirText(messageId, "x", { chat_id: `${phone}@c.us`, sender: { phone, lid: null }, timestamp }));
    };
    await session.commit([0, 1, 2, 3].map((index) => from(index, `A${index}`, 1_760_000_000 + index)));
    const records: Exported[] = [];
    let turn = 0;
    for (let cursor: string | null = ""; cursor !== null; turn += 1) {
      const page: any = await call("GET", `/instances/${id}/export?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      records.push(...page.body.data);
      cursor = page.body.next_cursor;
      // After each page a new message moves the oldest chat to the top of the list.
      if (turn < 4) await session.commit([from(turn, `B${turn}`, 1_770_000_000 + turn)]);
    }
    expect(recordsOf(records, "chat")).toHaveLength(4);
    expect(recordsOf(records, "message").map(({ message_id }) => message_id)).toEqual(["A0", "A1", "A2", "A3", "B0", "B1", "B2", "B3"]);
  });

  it("is refused to guests of the instance", async () => {
    const [owner, guest] = [await holder(), await holder()];
    const { id } = await connectedInstance(owner.call);
    const access = (await identifyUser(env.DB, owner.who.user.id, id))?.access;
    if (access === null || access === undefined) throw new Error("no access");
    await addShare(env as unknown as Env, access.connection, guest.who.user.email, "operator", Date.now());
    expect(codeOf(await guest.call("GET", `/instances/${id}/export`))).toEqual([403, "forbidden"]);
    expect(codeOf(await owner.call("GET", `/instances/${id}/export?cursor=xyz`))).toEqual([400, "validation_error"]);
    const { body } = await guest.call("GET", "/me/export");
    expect(body.data.shares).toMatchObject([{ instance_id: id, email: owner.who.user.email, role: "operator", given: false }]);
    expect((await owner.call("GET", "/me/export")).body.data.shares).toMatchObject([{ email: guest.who.user.email, given: true }]);
  });
});

describe("the export of an account", () => {
  it("holds its keys and webhooks without their secrets, and names its instances", async () => {
    const { call, who, key } = await holder();
    const { id } = await connectedInstance(call, { name: "Loja" });
    await call("POST", "/webhooks", {
      url: "https://hooks.example.com/a",
      events: ["message.received"],
      secret: "a webhook's secret",
      headers: { "x-token": "t0ken" },
    });
    const { status, body } = await call("GET", "/me/export");
    expect([status, body.data]).toMatchObject([
      200,
      {
        account: { id: who.user.id, email: who.user.email },
        api_keys: [{ name: "Test" }],
        webhooks: [{ url: "https://hooks.example.com/a" }],
        shares: [],
        instances: [{ id, name: "Loja" }],
      },
    ]);
    for (const secret of [key, "a webhook's secret", "t0ken"]) expect(JSON.stringify(body)).not.toContain(secret);
  });
});
