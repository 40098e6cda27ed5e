// Storage costs: statements per event, and no scan of a growing table.
import { expect, it } from "vitest";
import { EventProjection } from "#root/durable-objects/connection/projection/event-projection.ts";
import { OwnSendProjection } from "#root/durable-objects/connection/messages/own-sends.ts";
import { Stores } from "#root/durable-objects/connection/store/stores.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { ALL_CHATS, ALL_MESSAGES } from "./queries.ts";
import { ANA, BIA, GROUP, NOW, T0, ana, bia, withStores, message, sendRequest, status, text, upsert } from "./world.ts";

type Statement = { query: string; bindings: SqlStorageValue[] };

/** The same storage, recording every statement. */
function recording(sql: SqlStorage): { sql: SqlStorage; statements: Statement[] } {
  const statements: Statement[] = [];
  const exec: SqlStorage["exec"] = (query, ...bindings) => {
    statements.push({ query, bindings });
    return sql.exec(query, ...bindings);
  };
  return { sql: new Proxy(sql, { get: (_, name) => (name === "exec" ? exec : undefined) }), statements };
}

/** Scans of constant cost: limited by LIMIT (`k`, `w`, newest calls), or over tables with a few dozen rows. */
const HARMLESS =
  /^SCAN (CONSTANT ROW|k|w|n VIRTUAL TABLE .*|c USING INDEX calls_in_order|l|labels|channels|self|presence_subscriptions|unread_chats)$/;

function plan(sql: SqlStorage, { query, bindings }: Statement): string[] {
  return sql
    .exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...bindings)
    .toArray()
    .map(({ detail }) => detail);
}

function walks(sql: SqlStorage, statement: Statement): string[] {
  return plan(sql, statement).filter((detail) => detail.startsWith("SCAN ") && !HARMLESS.test(detail));
}

it("the store writes a text message with three statements", () =>
  withStores(({ sql, apply }) => {
    apply(upsert(), upsert({ chat_id: GROUP, sender: ana }));
    const recorded = recording(sql);
    const projection = new EventProjection(new Stores(recorded.sql));
    projection.apply([{ key: "k", event: upsert() }], NOW);
    expect(recorded.statements).toHaveLength(3);
    projection.apply([{ key: "l", event: upsert({ chat_id: GROUP, sender: ana }) }], NOW);
    expect(recorded.statements).toHaveLength(6);
  }));

it("the store writes a receipt with two statements, and a copy of an own message with three", () =>
  withStores(({ sql, apply }) => {
    const own = upsert({ from_me: true }, "own_device");
    apply(own);
    const recorded = recording(sql);
    const projection = new EventProjection(new Stores(recorded.sql));
    projection.apply([{ key: "k", event: status(own.message.message_id, "read") }], NOW);
    expect(recorded.statements).toHaveLength(2);
    projection.apply([{ key: "l", event: upsert({ from_me: true }, "own_device") }], NOW);
    expect(recorded.statements).toHaveLength(5);
  }));

it("the store finds every row by an index, whatever happens", () =>
  withStores(({ sql }) => {
    const recorded = recording(sql);
    const stores = new Stores(recorded.sql);
    const projection = new EventProjection(stores);
    const ownSends = new OwnSendProjection(stores);
    const lid = "99887766554433";
    const theirs = upsert({ chat_id: GROUP, sender: ana });
    const { message_id } = theirs.message;
    const own = sendRequest(text("Oi"), { quoted: { raw: "", ref: { chat_id: GROUP, message_id, from_me: false, participant: ana } } });
    const about = { chat_id: GROUP, message_id, from_me: false, timestamp: T0 };
    ownSends.accepted(own, "api", "r", NOW);
    ownSends.sent(own, { timestamp: T0, message: message({ message_id: own.message_id, from_me: true }) }, "api", "r", NOW);
    ownSends.failed(own.message_id, { code: "network_error" }, NOW);
    const events: NetworkEvent[] = [
      theirs,
      upsert({}, "history"),
      upsert({ chat_id: `${lid}@lid` }),
      { type: "lid.mapped", lid, phone: bia.phone },
      { type: "message.edited", ...about, sender: ana, text: "x" },
      { type: "message.reaction", ...about, sender: ana, reaction: "x" },
      { type: "message.starred", chat_id: GROUP, message_id, starred: true },
      { type: "poll.vote", ...about, voter: bia, options: [] },
      { type: "message.deleted", ...about, author: null, by: null },
      status(own.message_id, "read"),
      status("unknown", "read"),
      { type: "chat.updated", chat_id: ANA, pinned: true, name: "x" },
      { type: "chat.cleared", chat_id: BIA },
      { type: "chat.deleted", chat_id: BIA },
      { type: "chat.deleted", chat_id: GROUP, through: T0 - 1 },
      { type: "contact.updated", person: ana, name: "x" },
      { type: "label.updated", label_id: "1", name: "x", color: 1, predefined: false, timestamp: T0 },
      { type: "label.chat", label_id: "1", chat_id: ANA, labelled: true, timestamp: T0 },
      { type: "label.deleted", label_id: "1", timestamp: T0 },
      {
        type: "group.participants",
        chat_id: GROUP,
        action: "join",
        participants: [{ person: ana, is_me: false }],
        by: null,
        reason: null,
        timestamp: T0,
      },
      { type: "group.updated", chat_id: GROUP, by: null, changed: { subject: "x" }, timestamp: T0 },
      { type: "group.removed", group_id: GROUP },
      { type: "call", call_id: "C", chat_id: ANA, from: ana, is_video: false, is_group: false, status: "received", timestamp: T0 },
      { type: "call", call_id: "C", chat_id: ANA, from: ana, is_video: false, is_group: false, status: "ended", timestamp: T0 },
      { type: "presence", chat_id: ANA, person: ana, presence: "online", last_seen: null, timestamp: T0 },
    ];
    projection.apply(
      events.map((event, at) => ({ key: `k${at}`, event })),
      NOW,
    );

    for (const change of [
      {},
      { archived: true },
      { archived: false },
      { unread: true },
      { unread: false },
      { label_id: "1" },
      { q: "abc" },
      { q: "ab" },
    ] as const) {
      for (const kind of [null, "direct", "group", "channel"] as const) stores.chatQueries.list({ ...ALL_CHATS, ...change, kind });
    }
    for (const change of [
      {},
      { before: T0, after: 1 },
      { from_me: true },
      { type: "text" },
      { status: "failed" },
      { status: "read" },
      { reference: "r" },
      { q: "x" },
    ] as const) {
      for (const chat_id of [null, ANA]) stores.messageQueries.list({ ...ALL_MESSAGES, ...change, chat_id });
      stores.messageQueries.list({ ...ALL_MESSAGES, q: "abc", both_sides: true });
    }
    stores.messageQueries.get(message_id, null);
    stores.messageQueries.get(message_id, GROUP);
    stores.chatQueries.get(ANA);
    stores.messages.lastReceived(ANA, 5);
    stores.messages.remove(GROUP, message_id, NOW);
    for (const saved of [null, true]) stores.contacts.list({ limit: 5, cursor: null, q: null, saved, blocked: null });
    stores.contacts.list({ limit: 5, cursor: null, q: "abc", saved: null, blocked: true });
    stores.groups.list({ limit: 5, cursor: null, q: null });
    stores.groups.list({ limit: 5, cursor: null, q: "abc" });
    stores.groups.get(GROUP);
    stores.calls.list(5, NOW);
    stores.statusPosts.received(5, NOW);
    stores.labels.ofChat(ANA);
    stores.presences.get(ANA);
    stores.votes.tally(GROUP, message_id);
    stores.lids.lidOf(ana.phone);
    stores.messages.range(ANA);
    stores.chats.pinnedCountExcept(ANA);
    stores.sendCounts.after(T0);

    const found = recorded.statements.flatMap((statement) => walks(sql, statement).map((detail) => `${detail} in ${statement.query}`));
    expect(found).toEqual([]);
    // A page seeks directly to its key, even among rows with the same second or name.
    const pages = recorded.statements.filter(({ query }) => query.includes("place) < (") || query.includes("place) > ("));
    const byIndex = pages.filter(({ query }) => query.includes(" INDEXED BY ") && !query.includes("NOT INDEXED"));
    expect(byIndex.length).toBeGreaterThan(50);
    for (const page of byIndex) expect(plan(sql, page).join("; ")).toMatch(/place\)[<>]\(/);
  }));
