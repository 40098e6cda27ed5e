// The effects of proxy checks: health and notices, and nothing else (docs/operate/proxies.md, "Proxies").
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProxyChecks } from "#root/durable-objects/bridge-pool/proxy-checks.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { FakeBridge, pool } from "../fakes/bridge.ts";
import { holder, instanceOf } from "../support/accounts.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { gateway } from "../support/gateway.ts";
import { someone } from "../support/people.ts";
import { admin, answerCheck, healthIs, healthy, hostName, madeProxy, minute, sentMails } from "./world.ts";

const OK: ProxyCheckResult = { ok: true, latency_ms: 210, exit: { ip: "198.51.100.7", country: "BR" } };
const DEAD: ProxyCheckResult = { ok: false, error: "timeout" };

let bridges: FakeBridge[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  await allLeft();
  for (const bridge of bridges.splice(0)) bridge.leave();
  await runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("DELETE FROM bridge; DELETE FROM proxy_round"));
  await evictDurableObject(pool());
  vi.useRealTimers();
});

async function dial(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) bridges.push(await FakeBridge.dial());
  await vi.waitFor(async () => expect((await pool().list()).bridges.filter(({ connected }) => connected)).toHaveLength(count));
}

/** A minute passes, and this proxy's check ends with the result. */
async function checked(host: string, result: ProxyCheckResult) {
  const answered = answerCheck(bridges, host, result);
  await minute(bridges);
  return answered;
}

it("checks notify administrators' pages, once for several at a time, and nobody else", async () => {
  const ask = gateway();
  const watch = (headers: Record<string, string>) => ask("/api/dashboard/admin/proxies/stream", { headers });
  const [boss, other] = [await someone(), await someone()];
  await setRole(env.DB, boss.user.id, "admin");
  expect((await watch(other.headers)).status).toBe(403);
  expect((await watch({})).status).toBe(401);
  const { call } = await admin();
  const hosts = [hostName(), hostName()];
  for (const host of hosts) await madeProxy(call, { host });
  await dial(1);
  const stream = await EventStream.from(await watch(boss.headers));
  const answered = Promise.all(hosts.map((host) => answerCheck(bridges, host, OK)));
  await minute(bridges);
  await answered;
  expect(await stream.next()).toEqual({ event: "changed", data: {} });
  // The page's socket is not a bridge.
  expect((await pool().list()).bridges.filter(({ connected }) => connected)).toHaveLength(1);
  const again = Promise.all(hosts.map((host) => answerCheck(bridges, host, DEAD)));
  await minute(bridges);
  await again;
  expect(await stream.next()).toEqual({ event: "changed", data: {} });
});

it("checks run each minute from alternating bridges with the proxy's credentials, and learn the exit address", async () => {
  const { call } = await admin();
  await pool().list();
  const host = hostName();
  const { id } = await madeProxy(call, { host, protocol: "socks5", username: "ana", password: "p:xyzzy" });
  await dial(2);
  const first = await checked(host, OK);
  expect(first.frame).toMatchObject({ url: `socks5://ana:p%3Axyzzy@${host}:3128`, reach: "network", exit_ticket: expect.any(String) });
  const health = await healthIs(call, id, { status: "healthy" });
  expect(health).toEqual({
    status: "healthy",
    latency_ms: 210,
    exit_ip: "198.51.100.7",
    exit_country: "BR",
    success_rate_1h: 1,
    consecutive_failures: 0,
    checked_at: expect.any(String),
    last_error: null,
  });
  const second = await checked(host, { ...OK, exit: null });
  expect(second.bridge).not.toBe(first.bridge);
  expect(second.frame.exit_ticket).toBeNull();
  const later = await vi.waitFor(async () => {
    const { health: now } = (await call("GET", `/admin/proxies/${id}`)).body.data;
    expect(now.checked_at).not.toBe(health.checked_at);
    return now;
  });
  expect(later).toMatchObject({ exit_ip: "198.51.100.7", success_rate_1h: 1 });
});

it("checks report a dead proxy to owners and administrators once, within four minutes, and later its recovery", async () => {
  const [{ call, email }, ana, bia, caio] = [await admin(), await holder(), await holder(), await holder()];
  const host = hostName();
  const proxy = await madeProxy(call, { host, label: "São Paulo 1", username: "ana", password: "xyzzy" });
  const [loja, filial] = [
    await instanceOf(ana.call, { name: "Loja", proxy_id: proxy.id }),
    await instanceOf(ana.call, { name: "Filial", proxy_id: proxy.id }),
  ];
  await instanceOf(bia.call, { name: "Bar", proxy_id: proxy.id });
  await instanceOf(caio.call, { name: "Sem proxy" });
  await dial(2);
  const mails = sentMails();
  await checked(host, OK);
  await healthIs(call, proxy.id, { status: "healthy" });

  // The proxy dies right after the check.
  const diedAt = Date.now();
  for (let n = 1; n <= 3; n += 1) {
    await checked(host, DEAD);
    await healthIs(call, proxy.id, { consecutive_failures: n });
    // The pool may restart at any time, so the count must be stored.
    if (n === 1) await startPoolAgain();
  }
  const noticeAt = await vi.waitFor(async () => {
    const known = new Set(mails.map(({ to }) => to));
    for (const address of [email, ana.who.user.email, bia.who.user.email]) expect(known).toContain(address);
    return Date.now();
  });
  console.log(`proxy: told ${(noticeAt - diedAt) / 1000} s after its last answer, plus at most 15 s for a check`);
  expect(noticeAt - diedAt + 15_000).toBeLessThan(240_000);

  const to = (address: string) => mails.filter((mail) => mail.to === address);
  expect(to(ana.who.user.email)).toHaveLength(1);
  expect(to(ana.who.user.email)[0]?.text).toContain('"Loja", "Filial"');
  expect(to(ana.who.user.email)[0]?.text).not.toContain("São Paulo 1");
  expect(to(email)[0]?.text).toContain('"São Paulo 1"');
  expect(to(caio.who.user.email)).toEqual([]);
  for (const { subject, text } of mails) for (const secret of [host, "xyzzy", "Bar, Loja"]) expect(subject + text).not.toContain(secret);

  const health = (await call("GET", "/admin/proxies/health?status=down&limit=200")).body.data;
  const item = health.items.find(({ proxy_id }: { proxy_id: string }) => proxy_id === proxy.id);
  expect(item).toMatchObject({ status: "down", consecutive_failures: 3, last_error: "timeout", down_since: expect.any(String) });
  expect(item.instance_ids).toHaveLength(3);
  expect(item.instance_ids.slice(0, 2)).toEqual([loja.id, filial.id]);
  expect(health.down).toBeGreaterThan(0);

  // The notice is sent once per outage: neither the next failure nor flapping repeats it.
  for (const [n, result] of [DEAD, OK, OK, DEAD, OK, OK].entries()) {
    await checked(host, result);
    await healthIs(call, proxy.id, { success_rate_1h: Math.round((([1, 1, 2, 3, 3, 4, 5][n + 1] ?? 0) / (n + 5)) * 1_000) / 1_000 });
  }
  expect(to(ana.who.user.email)).toHaveLength(1);
  await checked(host, OK);
  await vi.waitFor(() => expect(to(ana.who.user.email)).toHaveLength(2));
  expect(to(ana.who.user.email)[1]?.subject).toContain("Proxy de volta");

  async function startPoolAgain(): Promise<void> {
    for (const bridge of bridges.splice(0)) bridge.leave();
    await evictDurableObject(pool());
    await dial(2);
  }
});

it("checks repeat only those that were answered or have expired, longest unchecked proxies first", async () => {
  const { call } = await admin();
  await pool().list();
  const made: { id: string; host: string }[] = [];
  for (let n = 0; n < 4; n += 1) {
    const host = hostName();
    made.push({ id: (await madeProxy(call, { host })).id, host });
  }
  // Rounds read proxies in id order.
  made.sort((one, other) => (one.id < other.id ? -1 : 1));
  await dial(1);
  const hostOf = (url: string) => made.find(({ host }) => url.includes(host))?.host;
  /** Waits until the bridge has been asked about these hosts, in this order. */
  const asked = (count: number) =>
    vi.waitFor(() => {
      const hosts = (bridges[0]?.control.rest ?? []).flatMap((frame) => (frame.type === "check_proxy" ? [hostOf(frame.url)] : []));
      const known = hosts.filter((host) => host !== undefined);
      if (known.length < count) throw new Error(`asked of ${known.length}`);
      return known;
    });
  const hosts = made.map(({ host }) => host);
  // This round starts so late that the next one begins while its checks still run.
  await minute(bridges, 89_000);
  await asked(4);
  const late: string[] = [];
  for (const [n, { id, host }] of made.entries()) {
    if (n < 2) {
      await answerCheck(bridges, host, OK);
      await healthIs(call, id, { status: "healthy" });
    } else late.push((await bridges[0]!.control.next("check_proxy", ({ url }) => url.includes(host))).check);
  }
  await minute(bridges, 31_000);
  for (const { host } of made.slice(0, 2)) await answerCheck(bridges, host, OK);
  expect(
    bridges[0]?.control.rest.filter((frame) => frame.type === "check_proxy" && hosts.slice(2).includes(hostOf(frame.url) ?? "")),
  ).toEqual([]);
  await minute(bridges);
  expect(await asked(4)).toEqual([...hosts.slice(2), ...hosts.slice(0, 2)]);
  // Results of earlier checks are ignored.
  for (const check of late) bridges[0]?.say({ type: "proxy_checked", check, result: DEAD });
  for (const { host } of made) await answerCheck(bridges, host, OK);
  for (const { id } of made) await healthIs(call, id, { status: "healthy", success_rate_1h: 1 });
});

it("checks that somebody waits for are urgent, and all have a deadline to begin", async () => {
  const { call } = await admin();
  await pool().list();
  const host = hostName();
  const { id } = await madeProxy(call, { host });
  await dial(1);
  const round = await checked(host, OK);
  expect(round.frame).toMatchObject({ urgent: false, start_within_ms: 35_000 });
  const now = call("POST", `/admin/proxies/${id}/check`);
  expect((await answerCheck(bridges, host, OK)).frame).toMatchObject({ urgent: true, reach: "network", start_within_ms: 25_000 });
  expect((await now).status).toBe(200);
  const changed = call("PATCH", `/admin/proxies/${id}`, { port: 3129 });
  expect((await answerCheck(bridges, host, { ok: true, latency_ms: 0, exit: null })).frame).toMatchObject({
    urgent: true,
    reach: "address",
    start_within_ms: 8_000,
  });
  expect((await changed).status).toBe(200);
});

describe("a check", () => {
  it("says nothing about the proxy if its address has changed meanwhile", async () => {
    const { call } = await admin();
    const host = hostName();
    const { id } = await madeProxy(call, { host });
    await dial(1);
    const [bridge] = bridges;
    const asked = bridge?.control.next("check_proxy", ({ url }) => url.includes(host));
    await minute(bridges);
    const check = (await asked)?.check ?? "";
    // The bridge checks the new host as well.
    const judged = answerCheck(bridges, "other.example.com", { ok: true, latency_ms: 0, exit: null });
    expect((await call("PATCH", `/admin/proxies/${id}`, { host: "other.example.com" })).status).toBe(200);
    expect((await judged).frame).toMatchObject({ url: "http://other.example.com:3128", reach: "address" });
    bridge?.say({ type: "proxy_checked", check, result: DEAD });
    const now = call("POST", `/admin/proxies/${id}/check`);
    await answerCheck(bridges, "other.example.com", OK);
    expect((await now).body.data).toMatchObject({ status: "healthy", consecutive_failures: 0, success_rate_1h: 1 });
  });

  it("says nothing about the proxy if no bridge answers", async () => {
    const { call } = await admin();
    const { id } = await madeProxy(call);
    expect((await call("POST", `/admin/proxies/${id}/check`)).status).toBe(503);
    expect((await call("GET", `/admin/proxies/${id}`)).body.data.health).toMatchObject({ status: "unknown", consecutive_failures: 0 });
  });

  it("counts once, however often its bridge says it", async () => {
    const { call } = await admin();
    const host = hostName();
    const { id } = await madeProxy(call, { host });
    await dial(1);
    const { frame } = await checked(host, DEAD);
    for (let n = 0; n < 5; n += 1) bridges[0]?.say({ type: "proxy_checked", check: frame.check, result: DEAD });
    await checked(host, OK);
    expect((await healthIs(call, id, { success_rate_1h: 0.5 })).status).toBe("degraded");
  });
});

it("checks repeat one that another pool made by a clock that was a day ahead", async () => {
  const { call } = await admin();
  const { id } = await madeProxy(call);
  await healthy(id);
  await env.DB.prepare("UPDATE proxy_health SET checked_at = ? WHERE proxy_id = ?")
    .bind(Date.now() + DAY_MS, id)
    .run();
  const asked: string[] = [];
  await runInDurableObject(pool(), async (_object, { storage }) => {
    const checks = new ProxyChecks({
      env,
      sql: storage.sql,
      times: new StoredTimes(storage.sql, "fleet_time"),
      intervalMs: MINUTE_MS,
      isShared: true,
      bridges: () => ["bridge"],
      send: (_bridge, frame) => frame.type === "check_proxy" && asked.push(frame.check) > 0,
      rearm: () => undefined,
      recorded: () => undefined,
    });
    checks.run(Date.now() + 2 * MINUTE_MS);
    await vi.waitFor(() => expect(asked.some((check) => check.includes(id))).toBe(true));
  });
});
