// Blocking and releasing a client address (docs/internals/admission.md, "Invalid keys").
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { countInvalidKey } from "#root/src/http/refuse-key.ts";
import { guardName } from "@gateway/domain/admission/address-guard.ts";
import { freshCustomer } from "../support/customer.ts";
import { freshAddress, freshKey, gateway } from "../support/gateway.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";

const START = Date.UTC(2030, 0, 1);

afterEach(() => void vi.useRealTimers());

const freshName = () => guardName(new TextEncoder().encode("a secret"), freshAddress());
const failTimes = async (name: string, times: number, at: number) => {
  for (let attempt = 1; attempt <= times; attempt += 1)
    expect(await countInvalidKey(env.ADDRESS_GUARD, name, at)).toEqual({ blocked: false });
};
/** Clears the object's memory but not its storage. itty-durable names its objects itself. */
const evict = (name: string) => evictDurableObject(env.ADDRESS_GUARD.get(env.ADDRESS_GUARD.idFromName(name)));

describe("the guard of an address", () => {
  it("keeps failures and the block when it is evicted", async () => {
    const name = freshName();
    await failTimes(name, 19, START);
    await evict(name);
    await failTimes(name, 1, START + MINUTE_MS);
    await evict(name);
    expect(await countInvalidKey(env.ADDRESS_GUARD, name, START + 2 * MINUTE_MS)).toEqual({ blocked: true, retryAfterMs: 14 * MINUTE_MS });
  });

  it("forgets failures that are ten minutes old", async () => {
    const name = freshName();
    await failTimes(name, 19, START);
    await failTimes(name, 19, START + 10 * MINUTE_MS);
    await failTimes(name, 1, START + 10 * MINUTE_MS);
    expect((await countInvalidKey(env.ADDRESS_GUARD, name, START + 10 * MINUTE_MS)).blocked).toBe(true);
  });

  it("blocks for fifteen minutes, and further failures do not extend the block", async () => {
    const name = freshName();
    await failTimes(name, 20, START);
    for (const minute of [1, 7, 14]) {
      expect(await countInvalidKey(env.ADDRESS_GUARD, name, START + minute * MINUTE_MS)).toEqual({
        blocked: true,
        retryAfterMs: (15 - minute) * MINUTE_MS,
      });
    }
    expect(await countInvalidKey(env.ADDRESS_GUARD, name, START + 15 * MINUTE_MS)).toEqual({ blocked: false });
  });

  it("counts every concurrent failure", async () => {
    const name = freshName();
    const verdicts = await Promise.all(Array.from({ length: 60 }, () => countInvalidKey(env.ADDRESS_GUARD, name, START)));
    expect(verdicts.filter(({ blocked }) => !blocked)).toHaveLength(20);
  });
});

describe("an address", () => {
  const ask = gateway();
  const statusOf = async (headers: Record<string, string>) => {
    const answer = await ask("/api/v1/instance", { headers });
    return [answer.status, Number(answer.headers.get("retry-after") ?? "0")] as const;
  };

  it("is released after the time in Retry-After", async () => {
    vi.useFakeTimers({ now: START, toFake: ["Date"] });
    const headers = { "cf-connecting-ip": freshAddress() };
    for (let attempt = 1; attempt <= 20; attempt += 1) expect((await statusOf(headers))[0]).toBe(401);
    expect(await statusOf(headers)).toEqual([429, 900]);
    vi.setSystemTime(START + 5 * MINUTE_MS + 1);
    expect(await statusOf(headers)).toEqual([429, 600]);
    vi.setSystemTime(START + 15 * MINUTE_MS - 1);
    expect(await statusOf(headers)).toEqual([429, 1]);
    vi.setSystemTime(START + 15 * MINUTE_MS);
    expect((await statusOf(headers))[0]).toBe(401);
  });

  it("is blocked by both headers together, and by revoked keys too", async () => {
    const headers = { "cf-connecting-ip": freshAddress() };
    const customer = await freshCustomer();
    const revoked = await customer.freshKey();
    await customer.revoke(revoked.id);
    for (let round = 1; round <= 5; round += 1) {
      for (const bad of [{}, { "X-Api-Key": "nope" }, { Authorization: "Bearer nope" }, { "X-Api-Key": revoked.key }]) {
        expect((await statusOf({ ...headers, ...bad }))[0]).toBe(401);
      }
    }
    expect((await statusOf({ ...headers, Authorization: "Bearer nope" }))[0]).toBe(429);
    expect((await statusOf({ ...headers, "X-Api-Key": revoked.key }))[0]).toBe(429);
    expect((await statusOf({ ...headers, "X-Api-Key": customer.key }))[0]).toBe(200);
  });

  it("is not counted for a valid key, however often it calls", async () => {
    const headers = { "cf-connecting-ip": freshAddress() };
    const customer = await freshCustomer();
    for (let call = 1; call <= 25; call += 1) expect((await statusOf({ ...headers, "X-Api-Key": customer.key }))[0]).toBe(200);
    for (let attempt = 1; attempt <= 19; attempt += 1) expect((await statusOf(headers))[0]).toBe(401);
    expect((await statusOf({ ...headers, "X-Api-Key": customer.key }))[0]).toBe(200);
  });

  it("counts as its /64 if it is of IPv6", async () => {
    const net = `2001:db8:${crypto.getRandomValues(new Uint16Array(1))[0]?.toString(16)}:7`;
    for (let host = 1; host <= 20; host += 1) expect((await statusOf({ "cf-connecting-ip": `${net}::${host.toString(16)}` }))[0]).toBe(401);
    expect((await statusOf({ "cf-connecting-ip": `${net}:1:2:3:4` }))[0]).toBe(429);
    expect((await statusOf({ "cf-connecting-ip": `${net.replace(/7$/, "8")}::1` }))[0]).toBe(401);
  });

  const subnet = `2001:db8:${crypto.randomUUID().slice(0, 4)}:9`;
  it.each([
    ["address", [freshAddress()]],
    ["/64 of IPv6", Array.from({ length: 42 }, (_, host) => `${subnet}::${host}`)],
  ])("is refused without calling the guard while the isolate has cached the block of its %s", async (_, addresses) => {
    let asked = 0;
    const guard = {
      idFromName: (name: string) => env.ADDRESS_GUARD.idFromName(name),
      get: (id: DurableObjectId) => {
        asked += 1;
        return env.ADDRESS_GUARD.get(id);
      },
    } as unknown as DurableObjectNamespace;
    const counting = gateway({ ADDRESS_GUARD: guard });
    const from = (attempt: number) => ({ "cf-connecting-ip": addresses[attempt % addresses.length] ?? "" });
    for (let attempt = 1; attempt <= 40; attempt += 1) await counting("/api/v1/instance", { headers: from(attempt) });
    expect(asked).toBe(21);
    await counting("/api/v1/instance", { headers: { ...from(41), "X-Api-Key": freshKey().key.slice(0, -1) } });
    expect(asked).toBe(21);
  });
});
