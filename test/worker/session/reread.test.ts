// An object caches D1 data. Changes are pushed to it; a daily read picks up missed pushes.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { theirText } from "../fakes/messages.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { allDisconnected } from "../support/account-session.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  await allDisconnected();
  vi.useRealTimers();
});

const subscriptionOf = async (connection: TestConnection) => {
  const got = await connection.ask("instance.get", {});
  return got.ok ? got.value.subscription?.status : got.code;
};

/** D1 changes without a push, as after restoring a database. */
async function changedUnseen(connection: TestConnection): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE subscription SET status = 'canceled' WHERE user_id = ?").bind(connection.record.owner_id),
    env.DB.prepare("UPDATE connection SET name = 'Outra' WHERE uuid = ?").bind(connection.uuid),
  ]);
}

const created = () => TestConnection.create({ owner_id: crypto.randomUUID() });
const readAt = async (connection: TestConnection) => (await connection.sql<{ at: number }>("SELECT at FROM reread"))[0]?.at;

describe("a change that was not pushed", () => {
  it("is read by the object within a day, at its own time, and not before", async () => {
    const connection = await created();
    const [before = 0] = [await readAt(connection)];
    await changedUnseen(connection);
    await connection.crash();
    expect(await subscriptionOf(connection)).toBe("active");
    const due = await runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm());
    expect((due ?? 0) - before).toBeGreaterThan(0);
    expect((due ?? 0) - before).toBeLessThanOrEqual(DAY_MS);
    await connection.after((due ?? 0) - Date.now() - 1_000);
    expect(await subscriptionOf(connection)).toBe("active");
    await connection.after(2_000);
    await vi.waitFor(async () => expect(await subscriptionOf(connection)).toBe("canceled"));
    expect(await connection.ask("instance.get", {})).toMatchObject({ ok: true, value: { name: "Outra" } });
    // The next read is a day later.
    await vi.waitFor(async () =>
      expect(await runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm())).toBe((due ?? 0) + DAY_MS),
    );
  });

  it("reaches an open session of the object", async () => {
    const { connection, session } = await TestConnection.connected();
    connection.record.settings = { ...connection.record.settings, ignore_groups: true };
    await connection.enterIntoD1();
    await connection.after(DAY_MS);
    await vi.waitFor(() =>
      expect(session.frames.rest.some((frame) => frame.type === "settings" && frame.settings.ignore_groups)).toBe(true),
    );
  });

  it("is read within a day by a new object, and by a restored one", async () => {
    const connection = await created();
    await connection.sql("DELETE FROM reread");
    await changedUnseen(connection);
    await connection.crash();
    expect(await subscriptionOf(connection)).toBe("active");
    await connection.after(DAY_MS);
    await vi.waitFor(async () => expect(await subscriptionOf(connection)).toBe("canceled"));
    await env.DB.prepare("UPDATE subscription SET status = 'active' WHERE user_id = ?").bind(connection.record.owner_id).run();
    await connection.sql("UPDATE reread SET at = ?", Date.now() - 30 * DAY_MS);
    await connection.crash();
    await connection.ask("instance.get", {});
    await connection.after(HOUR_MS);
    await vi.waitFor(async () => expect(await subscriptionOf(connection)).toBe("active"));
  });
});

it("a restored D1 gets the number's status again within a day", async () => {
  const connection = await created();
  const stored = () =>
    env.DB.prepare("SELECT status, status_changed_at FROM connection_state WHERE connection_id = ?").bind(connection.record.id).first();
  await vi.waitFor(async () => expect(await stored()).toMatchObject({ status: "disconnected" }));
  const before = await stored();
  const restore = "UPDATE connection_state SET status = 'connected', status_changed_at = 1 WHERE connection_id = ?";
  await env.DB.prepare(restore).bind(connection.record.id).run();
  await connection.after(DAY_MS);
  await vi.waitFor(async () => expect(await stored()).toEqual(before));
});

it("a restored D1 has its webhook endpoints applied within a day, although their revision is older", async () => {
  const connection = await created();
  const endpointOf = (id: string) => ({
    id,
    url: `https://hooks.example.com/${id}`,
    events: ["message.received"],
    secret: null,
    headers: {},
    retry_count: 3,
    timeout_ms: 5_000,
    is_active: true,
  });
  await connection.stub.accountEndpointsChanged([endpointOf("kept"), endpointOf("created-later")], 2_000);
  const insert = env.DB.prepare(
    "INSERT INTO account_webhook (id, user_id, url, events, created_at, updated_at) VALUES ('kept', ?, ?, '[\"message.received\"]', 0, 0)",
  );
  await env.DB.batch([
    insert.bind(connection.record.owner_id, endpointOf("kept").url),
    env.DB.prepare("INSERT INTO endpoint_set (user_id, revision, told_revision, changed_at) VALUES (?, 1000, 1000, 0)").bind(
      connection.record.owner_id,
    ),
  ]);
  await connection.after(DAY_MS);
  const known = () => connection.sql<{ id: string }>("SELECT id FROM endpoint WHERE style = 'account'");
  await vi.waitFor(async () => expect(await known()).toEqual([{ id: "kept" }]));
  expect(await connection.sql("SELECT revision FROM account_endpoints")).toEqual([{ revision: 1_000 }]);
});

it("an object asks D1 nothing when it starts, for a frame, or for the alarm of another part", async () => {
  const { connection, session } = await TestConnection.connected();
  await changedUnseen(connection);
  const name = async () => {
    const got = await connection.ask("instance.get", {});
    return got.ok ? got.value.name : got.code;
  };
  await connection.crash();
  const again = await session.redial();
  await again.commit([{ type: "message.upsert", message: theirText("R1", "Bom dia"), origin: "live" }]);
  await connection.alarm();
  // Waits as long as D1's responses would have taken.
  await env.DB.prepare("SELECT 1").run();
  expect([await name(), await name()]).toEqual(["Loja", "Loja"]);
});
