// Number health: derived from its messages, and queried from the network at most every ten minutes.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { NumberHealth } from "@gateway/protocol/health.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { ownText, theirText } from "../fakes/messages.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

const CHAT = `${OTHER}@c.us`;
const quota = { total: 50, used: 12, cycle_ends_at: 1_999_999_999, status: "first_warning" } as const;

async function connected() {
  vi.useFakeTimers({ toFake: ["Date"] });
  const world = await TestConnection.connected();
  return world;
}
afterEach(async () => {
  vi.restoreAllMocks();
  await allEnded();
});

const seconds = () => Math.floor(Date.now() / 1000);
async function health(connection: TestConnection): Promise<NumberHealth> {
  const answer = await connection.ask("instance.health", {});
  if (!answer.ok) throw new Error(answer.code);
  return answer.value;
}
/** The number's health without a network query. */
async function counted(connection: TestConnection, session: FakeSession): Promise<NumberHealth> {
  const answer = health(connection);
  await session.answer("account.limits", { new_chat_quota: null });
  return answer;
}

describe("the health of a number", () => {
  it("queries the network once in ten minutes, for any number of requests", async () => {
    const { connection, session } = await connected();
    const both = Promise.all([health(connection), health(connection)]);
    await session.answer("account.limits", { new_chat_quota: quota });
    for (const one of await both) expect(one).toMatchObject({ new_chat_quota: quota, score: 90, level: "warning" });
    vi.setSystemTime(Date.now() + 9 * MINUTE_MS);
    expect(await health(connection)).toMatchObject({ new_chat_quota: quota, checked_at: Date.now() - 9 * MINUTE_MS });
    expect(session.commands).toEqual([]);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    const later = health(connection);
    await session.answer("account.limits", { new_chat_quota: { ...quota, status: "capped" } });
    expect(await later).toMatchObject({ level: "restricted", checked_at: Date.now() });
  });

  it("answers the last known limits when the network does not answer, or the number is not connected", async () => {
    const { connection, session } = await connected();
    const first = health(connection);
    await session.refuse("account.limits", { code: "network_timeout" });
    expect(await first).toMatchObject({ new_chat_quota: null, checked_at: null, level: "ok" });
    expect(await health(connection), "the network is not asked again within a minute").toMatchObject({ checked_at: null });
    await connection.evict();
    expect(await health(connection), "nor after an eviction").toMatchObject({ checked_at: null });
    expect(session.commands).toEqual([]);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    const again = health(connection);
    await session.answer("account.limits", { new_chat_quota: quota });
    await again;
    await connection.ask("instance.disconnect", {});
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await health(connection)).toMatchObject({ new_chat_quota: quota, connected_since: null });
  });

  it("answers the last known limits on a full disk, and queries the network once a minute", async () => {
    const { connection, session } = await connected();
    vi.spyOn(StoredTimes.prototype, "set").mockImplementation(() => {
      throw new Error("database or disk is full: SQLITE_FULL");
    });
    const first = health(connection);
    await session.refuse("account.limits", { code: "network_timeout" });
    expect(await first).toMatchObject({ checked_at: null });
    expect(await health(connection)).toMatchObject({ checked_at: null });
    expect(session.commands).toEqual([]);
  });

  it("counts messages sent in 24 hours, from any device, by status", async () => {
    const { connection, session } = await connected();
    const own = (id: string, ageHours: number): NetworkEvent => ({
      type: "message.upsert",
      origin: "own_device",
      message: ownText(id, id, { timestamp: seconds() - ageHours * 3_600 }),
    });
    const status = (message_id: string, state: "delivered" | "read"): NetworkEvent => ({
      type: "message.status",
      chat_id: CHAT,
      message_id,
      status: state,
      participant: null,
      timestamp: seconds(),
    });
    await session.commit([own("A", 30), own("B", 23), own("C", 1), own("D", 0), own("E", 0)]);
    await session.commit([
      status("A", "read"),
      status("B", "delivered"),
      status("C", "delivered"),
      status("C", "read"),
      status("D", "read"),
    ]);
    const theirs = theirText("T", "hi", { timestamp: seconds() });
    await session.commit([{ type: "message.upsert", origin: "live", message: theirs }]);
    expect(await counted(connection, session)).toMatchObject({
      sends_24h: 4,
      failed_24h: 0,
      delivered_rate_24h: 0.75,
      read_rate_24h: 0.5,
      code463_24h: { cold: 0, warm: 0 },
      last_inbound_at: theirs.timestamp * 1000,
      connected_since: expect.any(Number) as number,
    });
  });

  it("distinguishes refusals in new chats from those in established ones", async () => {
    const { connection, session } = await connected();
    await session.commit([{ type: "message.upsert", origin: "live", message: theirText("T", "hi") }]);
    const refused = async (to: string, code: "temporarily_blocked" | "number_not_on_network" | "unavailable") => {
      const sent = connection.send("hello", { to });
      const { message_id } = (await session.answer("send")) as { message_id: string };
      await session.settle(message_id, { kind: "refused", failure: { code } });
      await sent;
    };
    await refused(OTHER, "temporarily_blocked");
    await refused("5511900000071", "temporarily_blocked");
    await refused("5511900000071", "temporarily_blocked");
    await refused("5511900000072", "number_not_on_network");
    // The network never received this message.
    await refused("5511900000073", "unavailable");
    expect(await counted(connection, session)).toMatchObject({
      sends_24h: 0,
      failed_24h: 4,
      code463_24h: { cold: 2, warm: 1 },
      delivered_rate_24h: null,
    });
  });

  it("counts reconnects, and shows a restriction while it lasts", async () => {
    const { connection, bridge, session } = await connected();
    for (let times = 0; times < 2; times++) await session.commit([event.closed("lost", 408), event.open()]);
    await connection.ask("instance.restart", {});
    // An intended reconnect does not count.
    const next = await bridge.open(connection.uuid);
    await next.commit([event.open()]);
    const restriction = { type: "new_chats_blocked", enforcement: "DEFAULT", ends_at: seconds() + 3_600, detected_at: seconds() } as const;
    await next.commit([{ type: "session.restriction", restriction, timestamp: seconds() }]);
    expect(await counted(connection, next)).toMatchObject({ reconnects_24h: 2, restriction, score: 50, level: "restricted" });
    vi.setSystemTime(Date.now() + 2 * 3_600_000);
    expect(await counted(connection, next)).toMatchObject({ restriction: null, level: "ok" });
    vi.setSystemTime(Date.now() + DAY_MS);
    expect(await counted(connection, next)).toMatchObject({ reconnects_24h: 0 });
  });

  it("is reported for both kinds of connection", async () => {
    const connection = await TestConnection.create({ kind: "cloud_api" });
    expect(await connection.ask("instance.health", {})).toMatchObject({ ok: true, value: { level: "ok", new_chat_quota: null } });
    expect(await connection.ask("instance.capabilities", {})).toEqual({ ok: true, value: { kind: "cloud_api", is_business: null } });
  });
});
