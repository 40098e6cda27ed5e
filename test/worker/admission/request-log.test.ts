// A connection's request log, as its object stores it.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { RING_SIZE } from "@gateway/domain/admission/request-log.ts";
import type { Call, CallLog } from "@gateway/protocol/connection.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";

afterEach(async () => {
  vi.useRealTimers();
  await allEnded();
});

const HASH = "ab".repeat(32);
const everything: OperationInput<"requests.list"> = { status: null, code: null, route: null, caller: null, limit: 100, before: null };

const shown = (change: Partial<CallLog> = {}): CallLog => ({
  caller: "key",
  name: null,
  route: "/api/v1/chats",
  receivedAt: Date.now(),
  status: 200,
  ...change,
});

async function withKey() {
  const connection = await TestConnection.create();
  const made = await connection.ask("keys.create", { name: "Sistema", prefix: "svc_1", hash: HASH });
  if (!made.ok) throw new Error(made.code);
  let requests = 0;
  const read = (change: Partial<Call> = {}) =>
    connection.ask(
      "instance.get",
      {},
      {
        caller: { kind: "connection_key", hash: HASH },
        requestId: `r${++requests}`,
        method: "GET",
        log: shown(),
        ...change,
      },
    );
  const logged = async (filter: Partial<typeof everything> = {}) => {
    const answer = await connection.ask("requests.list", { ...everything, ...filter });
    if (!answer.ok) throw new Error(answer.code);
    return answer.value;
  };
  const rows = async () => (await connection.sql<{ n: number }>("SELECT count(*) AS n FROM request_log"))[0]?.n;
  return { connection, keyId: made.value.id, read, logged, rows };
}

describe("a call by key", () => {
  it("is logged at once, with its key's name, and stays there after an eviction", async () => {
    const { connection, keyId, read, logged, rows } = await withKey();
    expect((await read()).ok).toBe(true);
    const caller = { kind: "key", key_id: keyId, name: "Sistema" };
    const first = { id: "r1", method: "GET", route: "/api/v1/chats", status: 200, code: null, caller, replayed: false };
    expect((await logged()).items).toMatchObject([first]);
    await vi.waitFor(async () => expect(await rows()).toBe(1), 60_000);
    await evictDurableObject(connection.stub);
    expect((await logged()).items).toMatchObject([first]);
    expect(await connection.ask("requests.get", { id: "r1" })).toMatchObject({ ok: true, value: first });
    expect(await connection.ask("requests.get", { id: "r9" })).toMatchObject({ ok: false, code: "request_not_found" });
  });

  it("is logged when refused: by the subscription, a limit, or invalid input", async () => {
    const { connection, read, logged } = await withKey();
    await read({ rejected: { code: "validation_error" } });
    await connection.change({ subscription_active: false });
    await read();
    expect((await logged()).items.map(({ id, status, code }) => [id, status, code])).toEqual([
      ["r2", 402, "subscription_required"],
      ["r1", 400, "validation_error"],
    ]);
    expect((await logged({ status: { from: 402, to: 402 } })).items).toHaveLength(1);
  });

  it("is logged if it is refused while its long body is screened", async () => {
    const { connection, logged } = await withKey();
    await connection.change({ subscription_active: false });
    const call = {
      caller: { kind: "connection_key", hash: HASH },
      requestId: "s1",
      method: "POST",
      route: "/messages",
      query: "",
    } as const;
    const rest = { idempotencyKey: null, fingerprint: "", flags: { mutating: true, counted: false, cached: false }, rejected: null };
    const refused = await connection.stub.screen({ ...call, ...rest, operation: "messages.send", input: "{}", log: shown() });
    expect(refused).toMatchObject({ ok: false });
    expect((await logged()).items).toMatchObject([{ id: "s1", status: 402 }]);
  });

  it("is marked when it only replayed an earlier response", async () => {
    const { read, logged } = await withKey();
    const once = { idempotencyKey: "once", flags: { mutating: true, counted: false, cached: false } };
    await read(once);
    await read(once);
    expect((await logged()).items.map(({ id, replayed }) => [id, replayed])).toEqual([
      ["r2", true],
      ["r1", false],
    ]);
  });

  it("keeps its key's name after revocation; calls by a revoked key are not logged", async () => {
    const { connection, keyId, read, logged } = await withKey();
    await read();
    await connection.ask("keys.revoke", { id: keyId });
    expect(await read()).toMatchObject({ ok: false, code: "unauthorized" });
    expect((await logged()).items.map(({ id, caller }) => [id, caller.name])).toEqual([["r1", "Sistema"]]);
  });

  it("includes the worker's final response", async () => {
    const { connection, read, logged } = await withKey();
    await read();
    await connection.stub.amendRequest({ id: "r1", status: 410, code: "media_expired" });
    expect((await logged()).items).toMatchObject([{ status: 410, code: "media_expired" }]);
  });
});

describe("the log", () => {
  it("contains no bodies or paths, and no private calls", async () => {
    const { connection, read, rows } = await withKey();
    const call = { method: "POST", log: shown({ route: "/api/v1/messages/text" }), requestId: "r" };
    await connection.send("a very private text", { to: "5511987654321" }, { ...call, route: "/chats/5511987654321@c.us" });
    await read({ log: undefined as never, requestId: "hidden" });
    await vi.waitFor(async () => expect(await rows()).toBe(1), 60_000);
    const [stored] = await connection.sql<{ entries: string }>("SELECT entries FROM request_log");
    expect(stored?.entries).toContain("/api/v1/messages/text");
    expect(stored?.entries).not.toMatch(/private|55119|hidden|abab/);
  });

  it("pages through rows without losing or repeating any, even across its ring buffers", async () => {
    const { read, logged, rows } = await withKey();
    for (let batch = 1; batch <= 3; batch += 1) {
      // All at once, because each second's calls get rows of their own.
      await Promise.all(Array.from({ length: 7 }, (_, call) => read(call % 3 === 0 ? { rejected: { code: "validation_error" } } : {})));
      await vi.waitFor(async () => expect(await rows()).toBe(2 * batch), 60_000);
    }
    await read();
    const seen: string[] = [];
    for (let before: number | null = null; ;) {
      const { items, more } = await logged({ limit: 4, before: before });
      seen.push(...items.map(({ id }) => id));
      if (!more) break;
      before = items.at(-1)?.place ?? 0;
    }
    expect(seen).toEqual(Array.from({ length: 22 }, (_, index) => `r${22 - index}`));
  });

  it("writes one row for a burst of reads", async () => {
    const { read, rows, logged } = await withKey();
    await Promise.all(Array.from({ length: 50 }, () => read()));
    await vi.waitFor(async () => expect(await rows()).toBe(1), 60_000);
    expect((await logged()).items).toHaveLength(50);
  });

  it("stays within its bound, and a flood of rate-limited calls displaces no other call", async () => {
    // The clock stands still, so that all calls fall into the limit's ten seconds.
    vi.useFakeTimers({ toFake: ["Date"] });
    const { connection, read, logged } = await withKey();
    await read({ rejected: { code: "validation_error" } });
    const full = JSON.stringify(Array.from({ length: 200 }, () => [0, Date.now(), "x", "GET", "/x", 429, "rate_limited", 0, null, 0, 0]));
    await connection.sql(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO request_log (ring, last, size, ended_at, entries) SELECT 1, -1000 + i, 200, ?, ? FROM n`,
      RING_SIZE.limited / 200,
      Date.now(),
      full,
    );
    for (let call = 0; call < 230; call += 1) await read({ log: shown({ route: "/api/v1/flood" }) });
    const sizes = async () => connection.sql<{ size: number }>("SELECT sum(size) AS size FROM request_log WHERE ring = 1");
    await vi.waitFor(async () => expect((await sizes())[0]?.size).toBe(RING_SIZE.limited - 200 + 31), 60_000);
    expect((await logged({ code: "rate_limited" })).items[0]).toMatchObject({ route: "/api/v1/flood", status: 429 });
    expect((await logged({ code: "validation_error" })).items).toHaveLength(1);
  });

  it("deletes a call after 7 days", async () => {
    const { connection, read, logged } = await withKey();
    await read({ log: shown({ receivedAt: Date.now() - 7 * DAY_MS - 1_000 }) });
    await read();
    expect((await logged()).items.map(({ id }) => id)).toEqual(["r2"]);
    expect(await connection.ask("requests.summary", {})).toMatchObject({ value: { total: 1, refusals: [], routes: ["/api/v1/chats"] } });
  });

  it("costs an idle object no alarm", async () => {
    const { connection, read, rows } = await withKey();
    const alarmAt = () => runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm());
    // This alarm is for the object's daily work.
    const before = await alarmAt();
    await read();
    await vi.waitFor(async () => expect(await rows()).toBe(1), 60_000);
    expect(await alarmAt()).toBe(before);
  });
});
