// Effects of webhooks, and which work waits (docs/internals/cloud-webhooks.md, "Receiving"), in the tables of a real object.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CloudIdTables } from "#root/durable-objects/connection/cloud/id-tables.ts";
import { CloudWebhook, type CloudWebhookDependencies } from "#root/durable-objects/connection/cloud/webhook.ts";
import { Lids } from "#root/durable-objects/connection/contacts/lids.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { change, image, messagesChange, metaBytes, NUMBER_ID, SECRET, signed, text, WABA, webhookOf } from "./webhook-bodies.ts";

const NOW = Date.UTC(2030, 0, 1);
const FILE: StoredMedia = {
  token: "t".repeat(43),
  mimetype: "image/jpeg",
  filename: null,
  size: 3,
  sha256: null,
  duration_seconds: null,
  width: null,
  height: null,
};

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

type World = {
  webhook: CloudWebhook;
  /** Committed events, in order. */
  events: NetworkEvent[];
  texts: () => (string | null)[];
  receive: (webhook: unknown, at?: number) => Promise<number>;
  /** Files by message id: `null` while waiting. */
  files: Map<string, StoredMedia | null>;
  rows: () => number;
  /** Fills the journal to this many rows, like its first one. */
  fillTo: (rows: number) => void;
  state: { paused: boolean; fails: boolean; ignoresGroups: boolean; rechecks: number };
  /** The same test tables, run again after the object's process has been killed. */
  restarted: () => World;
};

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const connection = await TestConnection.create({ kind: "cloud_api" });
  await runInDurableObject(connection.stub, (_object, { storage }) => run(worldIn(storage)));
}

function worldIn(storage: DurableObjectStorage): World {
  const events: NetworkEvent[] = [];
  const files: World["files"] = new Map();
  const state = { paused: false, fails: false, ignoresGroups: false, rechecks: 0 };
  const { sql } = storage;
  const deps: CloudWebhookDependencies = {
    storage,
    connection: () => "uuid",
    credentials: {
      get: () => ({ phoneNumberId: NUMBER_ID, wabaId: WABA, appId: null, accessToken: "", appSecret: SECRET, verifyToken: "the token" }),
      appSecrets: () => [SECRET],
    },
    ids: new CloudIdTables({ sql, lids: new Lids(sql), phone: () => null, own: () => null, known: () => null }),
    statusEvents: () => [],
    files: {
      want: (messageId) => files.has(messageId),
      take: (messageId, now) => files.get(messageId) ?? (now < NOW + 10_000 ? "waiting" : null),
    },
    settleRequest: () => undefined,
    recheck: () => (state.rechecks += 1),
    ignoresGroups: () => state.ignoresGroups,
    isPaused: () => state.paused,
    commit: (committed) => {
      if (state.fails) throw new Error("database or disk is full: SQLITE_FULL");
      events.push(...committed.map(({ event }) => event));
    },
  };
  const webhook = new CloudWebhook(deps);
  return {
    webhook,
    events,
    texts: () => events.flatMap((event) => (event.type === "message.upsert" ? [event.message.text ?? event.message.type] : [])),
    receive: async (body, at = NOW) => {
      const bytes = metaBytes(body);
      return webhook.receive(bytes, await signed(bytes), at);
    },
    files,
    rows: () => sql.exec<{ rows: number }>("SELECT COUNT(*) AS rows FROM cloud_inbox").one().rows,
    fillTo: (rows) =>
      sql.exec(
        `WITH RECURSIVE copies (copy) AS (SELECT 2 UNION ALL SELECT copy + 1 FROM copies WHERE copy < ?)
         INSERT INTO cloud_inbox (chat, change, received_at) SELECT chat, change, received_at FROM copies, (SELECT * FROM cloud_inbox LIMIT 1)`,
        rows,
      ),
    state,
    restarted: () => worldIn(storage),
  };
}

describe("a webhook", () => {
  it("is processed at once, item by item in order", () =>
    inWorld(async ({ receive, texts, events, rows, webhook }) => {
      expect(await receive(webhookOf(messagesChange(text("olá"), text("two")), messagesChange(text("three"))))).toBe(200);
      expect(texts()).toEqual(["olá", "two", "three"]);
      expect(events[0]).toMatchObject({ message: { chat_id: "5511900000002@c.us", push_name: "Zoë", from_me: false } });
      expect([rows(), webhook.nextDue(NOW)]).toEqual([0, null]);
    }));

  it("is reported without lone surrogates in its texts", () =>
    inWorld(async ({ receive, texts }) => {
      expect(await receive(webhookOf(messagesChange(text("cut \ud83d"), text("whole 😀"))))).toBe(200);
      expect(JSON.stringify(texts())).toBe(JSON.stringify(["cut \ufffd", "whole 😀"]));
    }));

  it("is not parsed if its signature is wrong", () =>
    inWorld(async ({ webhook, events }) => {
      const bytes = metaBytes(webhookOf(messagesChange(text("forged"))));
      expect(await webhook.receive(bytes, await signed(bytes, "wrong"), NOW)).toBe(401);
      expect(await webhook.receive(bytes, null, NOW)).toBe(401);
      expect(events).toEqual([]);
    }));

  it("is accepted without effect if it is for another account or number", () =>
    inWorld(async ({ receive, events }) => {
      const others = { object: "whatsapp_business_account", entry: [{ id: "1", changes: [messagesChange(text("theirs"))] }] };
      expect(await receive(others)).toBe(200);
      const metadata = { phone_number_id: "1" };
      expect(await receive(webhookOf(change("messages", { metadata, messages: [text("theirs")] })))).toBe(200);
      expect(events).toEqual([]);
    }));

  it("is processed as far as possible if items are unreadable, which are kept for a week", () =>
    inWorld(async ({ receive, texts, webhook, restarted }) => {
      const lines = vi.spyOn(console, "log");
      const body = webhookOf(messagesChange(text("one"), { id: "wamid.x", from: "5511900000002", type: 7 }, text("two")));
      expect(await receive(body)).toBe(200);
      expect(await receive("no webhook")).toBe(200);
      expect(texts()).toEqual(["one", "two"]);
      expect(lines.mock.calls.filter(([line]) => String(line).includes("cloud.change_unreadable"))).toHaveLength(2);
      expect(webhook.nextDue(NOW)).toBe(NOW + 7 * DAY_MS);
      const { webhook: later } = restarted();
      later.run(NOW + 7 * DAY_MS);
      expect(later.nextDue(NOW)).toBeNull();
    }));

  it("is processed without an item that cannot be stored", () =>
    inWorld(async ({ receive, texts, rows, state }) => {
      const odd = [{ field: "messages" }, { field: "messages", value: 7 }, { value: {} }, null, "change"];
      expect(await receive({ object: "whatsapp_business_account", entry: [null, { id: WABA, changes: odd }] })).toBe(200);
      state.paused = true;
      expect(await receive(webhookOf(messagesChange(text("x".repeat(3_000_000)))))).toBe(200);
      state.paused = false;
      expect(await receive(webhookOf(messagesChange(text("short"))))).toBe(200);
      expect([texts(), rows()]).toEqual([["short"], 0]);
    }));

  it("is stored in few rows if its parts are much longer than the whole", () =>
    inWorld(async ({ receive, texts, rows, state }) => {
      const bodies = Array.from({ length: 300 }, (_, at) => text(`${at}`));
      state.paused = true;
      expect(await receive(webhookOf(change("messages", { more: "x".repeat(900_000), messages: bodies })))).toBe(200);
      expect([texts(), rows()]).toEqual([[], 17]);
    }));

  it("gives 6,000 messages the names of their 6,000 contacts, even where ids are numbers", () =>
    inWorld(async ({ receive, events, webhook }) => {
      const phones = Array.from({ length: 6_000 }, (_, at) => 5_511_900_100_000 + at);
      const contacts = phones.map((phone) => ({ profile: { name: `n${phone}` }, wa_id: phone }));
      const bodies = phones.map((phone) => text("hi", { from: phone }));
      expect(await receive(webhookOf(change("messages", { contacts, messages: bodies })))).toBe(200);
      webhook.run(NOW);
      expect(events.slice(0, 200)).toMatchObject(phones.slice(0, 200).map((phone) => ({ message: { push_name: `n${phone}` } })));
    }));

  it("triggers a verification of the number if it is about the account", () =>
    inWorld(async ({ receive, state }) => {
      expect(await receive(webhookOf({ field: "account_update", value: { event: "ACCOUNT_RESTRICTION" } }))).toBe(200);
      expect(state.rechecks).toBe(1);
    }));

  it("is refused if it cannot be stored, so that Meta sends it again", () =>
    inWorld(async ({ receive, state, texts, rows, files }) => {
      state.fails = true;
      files.set("wamid.photo", null);
      const body = webhookOf(messagesChange(text("one"), image("m1", { id: "wamid.photo", from: "5511900000003" })));
      expect(await receive(body)).toBe(500);
      expect(rows()).toBe(0);
      state.fails = false;
      expect(await receive(body)).toBe(200);
      expect([texts(), rows()]).toEqual([["one"], 1]);
    }));

  it("omits groups if they are to be ignored", () =>
    inWorld(async ({ receive, state, events }) => {
      state.ignoresGroups = true;
      expect(await receive(webhookOf(messagesChange(text("in a group", { group_id: "Y2FwaV9ncm91cDox" }))))).toBe(200);
      expect(events).toEqual([]);
    }));
});

describe("a webhook while the number is disconnected", () => {
  it("is processed once connected, in order, also after a crash", () =>
    inWorld(async (world) => {
      world.state.paused = true;
      for (const body of ["one", "two", "three"]) expect(await world.receive(webhookOf(messagesChange(text(body))))).toBe(200);
      expect([world.texts(), world.webhook.nextDue(NOW)]).toEqual([[], null]);
      world.webhook.run(NOW);
      expect(world.rows()).toBe(3);
      const { webhook, texts, rows } = world.restarted();
      expect(webhook.nextDue(NOW)).toBe(NOW);
      webhook.run(NOW);
      expect([texts(), rows(), webhook.nextDue(NOW)]).toEqual([["one", "two", "three"], 0, null]);
    }));

  it("gives a message its arrival time if Meta gives none", () =>
    inWorld(async ({ state, receive, webhook, events }) => {
      state.paused = true;
      await receive(webhookOf(messagesChange(text("one", { timestamp: "soon" }))), NOW);
      state.paused = false;
      webhook.run(NOW + DAY_MS);
      expect(events).toMatchObject([{ message: { timestamp: NOW / 1000 } }]);
    }));

  it("is refused with 503 once too much is waiting, so that Meta keeps it", () =>
    inWorld(async (before) => {
      before.state.paused = true;
      await before.receive(webhookOf(messagesChange(text("one"))));
      before.fillTo(50_000);
      const { receive, rows, state, texts, webhook } = before.restarted();
      state.paused = true;
      expect(await receive(webhookOf(messagesChange(text("one more"))))).toBe(503);
      expect(rows()).toBe(50_000);
      state.paused = false;
      expect(await receive(webhookOf(messagesChange(text("elsewhere", { from: "5511900000003" }))))).toBe(200);
      webhook.run(NOW);
      expect(texts()).toHaveLength(201);
      expect(await receive(webhookOf(messagesChange(text("one more"))))).toBe(200);
    }));
});

it("a long webhook is processed in portions, each chat in order", () =>
  inWorld(async ({ receive, texts, webhook, rows }) => {
    const bodies = Array.from({ length: 450 }, (_, at) => `${at}`);
    expect(await receive(webhookOf(messagesChange(...bodies.map((body) => text(body)))))).toBe(200);
    expect([texts(), rows()]).toEqual([[], 450]);
    await receive(webhookOf(messagesChange(text("after"), text("other chat", { from: "5511900000003" }))));
    expect(texts()).toEqual(["other chat"]);
    const portions: number[] = [];
    while (webhook.nextDue(NOW) !== null) {
      const before = texts().length;
      webhook.run(NOW);
      portions.push(texts().length - before);
    }
    expect(portions).toEqual([200, 200, 51]);
    expect(texts().slice(1)).toEqual([...bodies, "after"]);
  }));

describe("a message with a file", () => {
  const photo = (id: string) => messagesChange(image(`media-${id}`, { id }));

  it("waits for it with its chat; other chats continue", () =>
    inWorld(async ({ receive, texts, files, webhook, events }) => {
      files.set("wamid.photo", null);
      await receive(webhookOf(messagesChange(text("before")), photo("wamid.photo")));
      await receive(webhookOf(messagesChange(text("after"), text("elsewhere", { from: "5511900000003" }))));
      expect(texts()).toEqual(["before", "elsewhere"]);
      expect(webhook.nextDue(NOW)).toBe(NOW + 10_000);
      webhook.run(NOW + 1_000);
      expect(texts()).toHaveLength(2);
      files.set("wamid.photo", FILE);
      webhook.fileArrived("5511900000002@c.us");
      expect(webhook.nextDue(NOW + 1_000)).toBe(NOW + 1_000);
      webhook.run(NOW + 1_000);
      expect(texts()).toEqual(["before", "elsewhere", "image", "after"]);
      expect(events[2]).toMatchObject({ message: { media: FILE } });
    }));

  it("is reported without it after ten seconds, even if the object was restarted", () =>
    inWorld(async (world) => {
      world.files.set("wamid.photo", null);
      await world.receive(webhookOf(photo("wamid.photo"), messagesChange(text("after"))));
      const { webhook, texts, events } = world.restarted();
      webhook.run(NOW + 9_999);
      expect(texts()).toEqual([]);
      webhook.run(NOW + 10_000);
      expect(texts()).toEqual(["image", "after"]);
      expect(events[0]).toMatchObject({ message: { media: { token: null } } });
    }));

  it("does not delay another one whose file has arrived, except in the same chat", () =>
    inWorld(async ({ receive, files, webhook, texts }) => {
      for (const id of ["wamid.1", "wamid.2"]) files.set(id, null);
      await receive(webhookOf(photo("wamid.1"), photo("wamid.2")));
      files.set("wamid.2", FILE);
      webhook.fileArrived("5511900000002@c.us");
      webhook.run(NOW + 1_000);
      expect(texts()).toEqual([]);
      expect(webhook.nextDue(NOW + 1_000)).toBe(NOW + 10_000);
      files.set("wamid.1", FILE);
      webhook.fileArrived("5511900000002@c.us");
      webhook.run(NOW + 2_000);
      expect(texts()).toEqual(["image", "image"]);
    }));

  it("is reported at once if its file is not awaited", () =>
    inWorld(async ({ receive, texts, rows }) => {
      await receive(webhookOf(photo("wamid.photo")));
      expect([texts(), rows()]).toEqual([["image"], 0]);
    }));

  it("requests its file when the number is connected again", () =>
    inWorld(async ({ state, receive, files, webhook, texts }) => {
      state.paused = true;
      await receive(webhookOf(photo("wamid.photo")));
      state.paused = false;
      files.set("wamid.photo", null);
      webhook.run(NOW);
      expect([texts(), webhook.nextDue(NOW)]).toEqual([[], NOW + 10_000]);
      files.set("wamid.photo", FILE);
      webhook.run(NOW + 10_000);
      expect(texts()).toEqual(["image"]);
    }));
});

describe("people", () => {
  it("have one chat if their hidden number is shown later", () =>
    inWorld(async ({ receive, events }) => {
      const hidden = { from: undefined, from_user_id: "BR.abc" };
      const contact = (fields: object) => ({ contacts: [{ profile: { name: "Zoë", username: "zoe" }, user_id: "BR.abc", ...fields }] });
      await receive(webhookOf(change("messages", { ...contact({}), messages: [text("hidden", hidden)] })));
      const shown = change("messages", { ...contact({ wa_id: "5511900000002" }), messages: [text("shown", { from_user_id: "BR.abc" })] });
      await receive(webhookOf(shown));
      const [first, mapped, second] = events;
      const lid = first?.type === "message.upsert" ? (first.message.sender?.lid ?? "") : "";
      expect(first).toMatchObject({ message: { chat_id: `${lid}@lid`, sender: { phone: null, lid } } });
      expect(mapped).toEqual({ type: "lid.mapped", lid, phone: "5511900000002" });
      expect(second).toMatchObject({ message: { chat_id: "5511900000002@c.us", sender: { phone: "5511900000002", lid } } });
    }));

  it("remain the same contact when they change their number", () =>
    inWorld(async ({ receive, events }) => {
      const contacts = [{ profile: { name: "Zoë" }, wa_id: "5511900000002", user_id: "BR.abc" }];
      await receive(webhookOf(change("messages", { contacts, messages: [text("old")] })));
      const system = { type: "user_changed_number", body: "", wa_id: "5511900000009" };
      await receive(webhookOf(change("messages", { messages: [{ ...text(""), type: "system", system }] })));
      const lids = events.flatMap((event) => (event.type === "lid.mapped" ? [event] : []));
      expect(lids.map(({ phone }) => phone)).toEqual(["5511900000002", "5511900000009"]);
      expect(new Set(lids.map(({ lid }) => lid)).size).toBe(1);
    }));
});

it("the handshake accepts only its token", () =>
  inWorld(async ({ webhook }) => {
    expect(webhook.verify("the token")).toBe(true);
    for (const wrong of ["", "the toke", "the token ", "The token"]) expect(webhook.verify(wrong)).toBe(false);
  }));
