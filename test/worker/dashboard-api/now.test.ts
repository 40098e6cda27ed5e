// Current problems as administrators see them, and the search for any id.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { databaseOf } from "#root/src/db/database.ts";
import { accountWebhook } from "#root/src/db/schema.ts";
import type { Env } from "#root/src/env.ts";
import { hourOf } from "@gateway/domain/statistics/counts.ts";
import { writeConnectionState } from "#root/src/services/connections/directory-state.ts";
import { pauseOwnerMails } from "#root/src/services/identity/address-guards.ts";
import { recordMailFailure, recordMailSuccess } from "#root/src/services/mail/failures.ts";
import { pushCounts } from "#root/src/services/statistics/push.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { FakeBridge } from "../fakes/bridge.ts";
import { freshCustomer } from "../support/customer.ts";
import { gateway, scriptedConnections } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

const ask = gateway();
afterEach(() => {
  vi.useRealTimers();
});

type Fault = {
  kind: string;
  code: string;
  subject: string | null;
  detail: string | null;
  since: string | null;
  count: number | null;
  instance: Named | null;
};
type Named = { id: string; name: string; owner: { email: string } };
type Found = { kind: string; id: string; title: string; detail: string | null; instance: Named | null };
type Search = { found: Found[]; instances: { asked: number; of: number } | null };

async function administrator(asked = ask) {
  const who = await someone();
  await setRole(env.DB, who.user.id, "admin");
  const read = async <T>(path: string): Promise<T> => {
    const answer = await asked(`/api/dashboard/admin${path}`, { headers: who.headers });
    expect([path, answer.status]).toEqual([path, 200]);
    return ((await answer.json()) as { data: T }).data;
  };
  return {
    who,
    read,
    now: () => read<{ one_machine: boolean; faults: Fault[]; numbers: number }>("/now"),
    find: (q: string) => read<Search>(`/find?q=${encodeURIComponent(q)}`),
  };
}

const state = { statusChangedAt: Date.now(), bridgeId: null, phone: null, stateKid: 1 } as const;

describe("the list of current problems", () => {
  it("has failed numbers with their owner, but none that are off by choice or of a suspended account", async () => {
    const { now } = await administrator();
    const [banned, off, suspended] = [await freshCustomer(), await freshCustomer(), await freshCustomer()];
    await writeConnectionState(env.DB, banned.connection.id, { ...state, status: "failed", reason: "banned" }, Date.now());
    await writeConnectionState(env.DB, off.connection.id, { ...state, status: "disconnected", reason: "manual" }, Date.now());
    await writeConnectionState(env.DB, suspended.connection.id, { ...state, status: "failed", reason: "banned" }, Date.now());
    await env.DB.prepare("UPDATE user SET status = 'suspended' WHERE id = ?").bind(suspended.owner.user.id).run();
    const { faults } = await now();
    const faultsOf = (customer: typeof banned) => faults.filter(({ instance }) => instance?.id === customer.connection.instance_id);
    expect(faultsOf(banned)).toMatchObject([{ kind: "number", code: "banned", instance: { owner: { email: banned.owner.user.email } } }]);
    expect([faultsOf(off), faultsOf(suspended)]).toEqual([[], []]);
  });

  it("says whether one machine hosts the gateway, because the remedies differ", async () => {
    const MACHINE = { fetch: () => Promise.resolve(Response.json({ disk: null, backups: null })) } as unknown as Fetcher;
    const hosted = async (asked = ask) => (await (await administrator(asked)).now()).one_machine;
    expect([await hosted(), await hosted(gateway({ MACHINE }))]).toEqual([false, true]);
  });

  it("has failing webhooks and calls of the last two hours, but no webhook that accepts most attempts", async () => {
    // The clock stands still, so that no hour begins before the answer.
    vi.useFakeTimers({ toFake: ["Date"] });
    const { now } = await administrator();
    const [failing, fine, earlier] = [await freshCustomer(), await freshCustomer(), await freshCustomer()];
    const hour = hourOf(Date.now());
    const push = (customer: typeof failing, at: number, counts: Record<string, number>) =>
      pushCounts(env.DB, customer.connection.instance_id, { hours: [{ hour: at, counts }], connected: true, waiting: 0 }, Date.now());
    await push(failing, hour - 3_600_000, {
      attempts: 4,
      "error.webhook_timeout": 3,
      "error.send_outcome_unknown": 2,
      "error.number_not_on_network": 7,
    });
    await push(fine, hour - 3_600_000, { attempts: 9, delivered: 8, "error.webhook_timeout": 1 });
    await push(earlier, hour - 3 * 3_600_000, { attempts: 4, "error.webhook_timeout": 4 });
    const { faults } = await now();
    const faultsOf = (customer: typeof failing) =>
      faults
        .filter(({ instance }) => instance?.id === customer.connection.instance_id)
        .map(({ kind, code, count }) => [kind, code, count])
        .toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
    expect(faultsOf(failing)).toEqual([
      ["calls", "send_outcome_unknown", 2],
      ["webhook", "webhook_timeout", 3],
    ]);
    expect([faultsOf(fine), faultsOf(earlier)]).toEqual([[], []]);
  });

  it("has a webhook whose queue is full, although its receiver accepts every attempt", async () => {
    const { now } = await administrator();
    const slow = await freshCustomer();
    const counts = { attempts: 90, delivered: 90, given_up: 40, "error.webhook_queue_full": 40 };
    await pushCounts(
      env.DB,
      slow.connection.instance_id,
      { hours: [{ hour: hourOf(Date.now()), counts }], connected: true, waiting: 500_000 },
      Date.now(),
    );
    const { faults } = await now();
    expect(faults.filter(({ instance }) => instance?.id === slow.connection.instance_id)).toMatchObject([
      { kind: "webhook", code: "webhook_queue_full", count: 40 },
    ]);
  });

  it("has the fleet's alarms, including a used-up email quota", async () => {
    const { now } = await administrator();
    const bridge = await FakeBridge.dial({ capacity: 100 });
    const troubles = [{ kind: "close" as const, code: "403", total: 4, sessions: 3 }];
    const alarms = async () => (await now()).faults.filter(({ kind }) => kind === "alarm");
    // Repeated, because the pool judges its reports at most every five seconds.
    const reported = async () => {
      bridge.say({ type: "load", sessions: 40, rss_mb: 1, cpu: 0, away: 0, troubles });
      expect(await alarms()).toMatchObject([{ code: "close 403", count: 3, since: expect.any(String) }]);
    };
    await vi.waitFor(reported, { timeout: 60_000, interval: 500 });
    await pauseOwnerMails(env as Env);
    expect((await alarms()).map(({ code }) => code)).toEqual(["mail quota", "close 403"]);
    await bridge.left();
  });

  it("has dead proxies, full shards and refused email, with problems of the whole deployment first", async () => {
    const { now } = await administrator();
    const [id, shard, customer] = [crypto.randomUUID(), "weur/999", await freshCustomer()];
    await writeConnectionState(env.DB, customer.connection.id, { ...state, status: "failed", reason: "locked" }, Date.now());
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO proxy (id, label, protocol, host, port, created_at) VALUES (?1, ?1, 'http', '203.0.113.9', 8080, 1)",
      ).bind(id),
      env.DB.prepare(
        `INSERT INTO proxy_health (proxy_id, status, consecutive_failures, past_checks, last_error, outage_at)
         VALUES (?, 'down', 5, '[]', 'timeout', ?)`,
      ).bind(id, Date.now()),
      env.DB.prepare("INSERT INTO pool_shard (name, connections, bridges, written_at) VALUES (?, 8000, 3, ?)").bind(shard, Date.now()),
    ]);
    await recordMailFailure(env.DB, "E_SENDER_NOT_VERIFIED", Date.now());
    const { faults } = await now();
    await env.DB.batch([
      env.DB.prepare("DELETE FROM pool_shard WHERE name = ?").bind(shard),
      env.DB.prepare("DELETE FROM proxy WHERE id = ?").bind(id),
    ]);
    await recordMailSuccess(env.DB, Date.now());
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "proxy", code: "down", subject: id, proxy_id: id, detail: "timeout" }),
        expect.objectContaining({ kind: "shard", code: "full", subject: shard, count: 8_000 }),
        expect.objectContaining({ kind: "check", code: "mail", detail: expect.stringContaining("E_SENDER_NOT_VERIFIED") }),
      ]),
    );
    const kinds = faults.map(({ kind }) => kind);
    const lastShared = kinds.findLastIndex((kind) => ["check", "alarm", "shard"].includes(kind));
    expect(lastShared).toBeLessThan(kinds.findIndex((kind) => ["proxy", "number", "webhook", "calls"].includes(kind)));
  });

  it("still shows the other parts when the pools do not answer", async () => {
    const BRIDGE_POOL = {
      getByName: () => {
        throw new Error("no pool");
      },
    } as unknown as Env["BRIDGE_POOL"];
    const { now } = await administrator(gateway({ BRIDGE_POOL }));
    const banned = await freshCustomer();
    await writeConnectionState(env.DB, banned.connection.id, { ...state, status: "failed", reason: "banned" }, Date.now());
    const { faults } = await now();
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "check", code: "unreadable", subject: "alarms" }),
        expect.objectContaining({ kind: "check", code: "pools" }),
        expect.objectContaining({ kind: "number", instance: expect.objectContaining({ id: banned.connection.instance_id }) }),
      ]),
    );
  });
});

describe("an instance's webhooks", () => {
  const refused = {
    id: "msg_1",
    event: "message.received",
    status: "pending",
    http_status: 500,
    attempts: 2,
    created_at: 2_000,
    delivered_at: null,
    next_attempt_at: 9_000,
    last_error: "not_2xx",
    place: 7,
  } as const;
  const accepted = { ...refused, id: "msg_0", status: "delivered", http_status: 200, delivered_at: 1_000, last_error: null } as const;
  const url = "https://hooks.example.com/in?token=secret";

  /** The objects have a failing webhook of their own, and one endpoint of the account, which is new to them. */
  const objects = scriptedConnections(({ operation, input }) => {
    if (operation === "webhook.get") {
      const times = { disabled_at: null, last_success_at: null, created_at: 1, failing_since: 1, disables_at: null };
      const facts = { url, events: [], status: "disabled", ...times, previous_secret_until: null, can_reactivate: false, new_events: [] };
      return { ok: true, json: JSON.stringify(facts) };
    }
    if (operation !== "webhook.deliveries") return { ok: false, failure: { code: "webhook_not_found" } };
    const { status } = JSON.parse(input) as { status: string[] };
    return { ok: true, json: JSON.stringify({ items: [status.includes("delivered") ? accepted : refused], more: false }) };
  });

  it("are shown without the query of their address, with the deliveries that were not accepted and the reason", async () => {
    const [customer, other] = [await freshCustomer(), await freshCustomer()];
    const endpoint = { userId: customer.owner.user.id, url, events: [], createdAt: 1, updatedAt: 1 };
    await databaseOf(env.DB)
      .insert(accountWebhook)
      .values([
        { ...endpoint, id: crypto.randomUUID(), instanceId: other.connection.instance_id },
        { ...endpoint, id: customer.connection.instance_id, url: "https://crm.example.com/in" },
      ]);
    const { read } = await administrator(gateway(objects));
    const shown = await read<unknown[]>(`/instances/${customer.connection.instance_id}/webhooks`);
    const { place: _place, ...delivery } = refused;
    const times = { created_at: "1970-01-01T00:00:02.000Z", next_attempt_at: "1970-01-01T00:00:09.000Z" };
    expect(shown).toEqual([
      {
        id: null,
        url: "https://hooks.example.com/in",
        is_active: false,
        last_success_at: "1970-01-01T00:00:01.000Z",
        deliveries: [{ ...delivery, ...times }],
      },
      { id: customer.connection.instance_id, url: "https://crm.example.com/in", is_active: true, last_success_at: null, deliveries: [] },
    ]);
  });

  it("of an unknown instance are not looked for in an object", async () => {
    const { who } = await administrator();
    const asked = scriptedConnections(() => ({ ok: false, failure: { code: "unavailable" } }));
    const answer = await gateway(asked)(`/api/dashboard/admin/instances/${crypto.randomUUID()}/webhooks`, { headers: who.headers });
    expect([answer.status, asked.names]).toEqual([404, []]);
  });
});

describe("the search by any id", () => {
  it("finds people by email, instances by id and number, and administrators' actions by target", async () => {
    const { find, who } = await administrator();
    const { owner, connection } = await freshCustomer();
    const phone = `5511${String(Date.now()).slice(-9)}`;
    await writeConnectionState(env.DB, connection.id, { ...state, status: "connected", reason: "ok", phone }, Date.now());
    const byMail = await find(owner.user.email.toUpperCase());
    expect(byMail.found.map(({ kind, id }) => [kind, id])).toEqual([
      ["user", owner.user.id],
      ["instance", connection.instance_id],
    ]);
    for (const q of [connection.instance_id, phone, `+${phone.slice(0, 2)} ${phone.slice(2, 4)} ${phone.slice(4)}`]) {
      expect([q, (await find(q)).found]).toMatchObject([q, [{ kind: "instance", id: connection.instance_id }]]);
    }
    await ask(`/api/dashboard/admin/users/${owner.user.id}/suspend`, { method: "POST", headers: who.headers, body: '{"reason":"teste"}' });
    expect((await find(owner.user.id)).found.map(({ kind, title }) => [kind, title])).toEqual([
      ["user", owner.user.email],
      ["audit", "suspendUser"],
    ]);
    expect(await find("nobody@nowhere.example")).toEqual({ found: [], instances: null });
  });

  it("finds a request at its instance, among all or among those of one owner", async () => {
    const { find } = await administrator();
    const customer = await freshCustomer();
    const refused = await customer.call("POST", "/messages/text", { phone: "5511987654321", text: "a private text" });
    const id = refused.headers.get("x-request-id") ?? "";
    const { found, instances } = await find(`${id} ${customer.owner.user.email}`);
    expect(found).toMatchObject([
      { kind: "request", title: "POST /api/v1/messages/text", detail: expect.stringMatching(/^4\d\d /), instance: { name: "Loja" } },
    ]);
    expect(instances).toEqual({ asked: 1, of: 1 });
    expect(JSON.stringify(found)).not.toContain("private");
    const other = await freshCustomer();
    expect((await find(`${id} ${other.owner.user.email}`)).found).toEqual([]);
  });
});

it("the statistics of failures are found by an index, and only of hours with failures", async () => {
  const { results } = await env.DB.prepare(
    `EXPLAIN QUERY PLAN SELECT counts FROM hourly_count
     WHERE at >= 1 AND substr(scope, 1, 11) = 'connection:' AND instr(counts, '"error.') > 0 ORDER BY at DESC LIMIT 500`,
  ).all<{ detail: string }>();
  expect(results.map(({ detail }) => detail)).toEqual([expect.stringContaining("USING INDEX hourly_count_failed")]);
});
