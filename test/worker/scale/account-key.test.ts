// D1 use of calls with an account key, since all customers share D1; an ended key is refused on the next call.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Callers } from "#root/durable-objects/account-guard/callers.ts";
import type { Env } from "#root/src/env.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { type Identified, identifyKey } from "#root/src/services/callers/identify.ts";
import { addShare, removeShare } from "#root/src/services/shares/shares.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { callsWith, codeOf, holder, instanceOf, keyOf } from "../support/accounts.ts";
import { gateway } from "../support/gateway.ts";
import { counted } from "./counters.ts";

type Guard = Record<"perform" | "identify" | "endStreams" | "remove" | "pushRecords", (...args: never[]) => Promise<unknown>>;

const bindings = env as unknown as Env;

/** Guards with some methods replaced. */
function guardsWith(change: (guard: Guard) => Partial<Guard>): Pick<Env, "ACCOUNT_GUARD"> {
  const getByName = (name: string) => {
    const stub = env.ACCOUNT_GUARD.getByName(name) as unknown as Guard;
    const guard: Guard = {
      perform: (...args) => stub.perform(...args),
      identify: (...args) => stub.identify(...args),
      endStreams: (...args) => stub.endStreams(...args),
      remove: (...args) => stub.remove(...args),
      pushRecords: (...args) => stub.pushRecords(...args),
    };
    return { ...guard, ...change(guard) };
  };
  return { ACCOUNT_GUARD: { getByName } as unknown as Env["ACCOUNT_GUARD"] };
}

const away = () => Object.assign(new Error("away"), { retryable: true });

/** A key that was used before, which is the usual case, with an instance of its account. */
async function caller() {
  const owner = await holder();
  const { id } = await instanceOf(owner.call);
  const boss = await holder();
  await setRole(env.DB, boss.who.user.id, "admin");
  const status = () => owner.call("GET", `/instances/${id}/status`);
  // The first call looks up the account; the second loads its guard.
  for (let n = 0; n < 3; n += 1) expect((await status()).status).toBe(200);
  return { ...owner, boss, id, status };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("D1", () => {
  it("is not queried by a key's second and later calls on an instance of its account", async () => {
    const { status, id, call } = await caller();
    const { d1 } = await counted(async () => {
      for (let n = 0; n < 5; n += 1) expect((await status()).status).toBe(200);
      expect((await call("GET", `/instances/${id}/chats`)).status).toBe(200);
    });
    console.log(`D1 statements of six calls with an account key: ${d1.statements} (before: 6)`);
    expect(d1.statements, d1.texts.join("; ")).toBe(0);
  });

  it("is asked once a minute for a key that is in use", async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    const { status } = await caller();
    vi.setSystemTime(Date.now() + MINUTE_MS);
    const { d1 } = await counted(async () => {
      for (let n = 0; n < 5; n += 1) await status();
    });
    expect(d1.statements, d1.texts.join("; ")).toBe(1);
  });

  it("is asked once by a call on an instance of somebody else", async () => {
    const [owner, guest] = [await caller(), await caller()];
    await shared(owner, guest.who.user.email);
    const { d1 } = await counted(async () => {
      for (let n = 0; n < 3; n += 1) expect((await guest.call("GET", `/instances/${owner.id}/status`)).status).toBe(200);
    });
    console.log(`D1 statements of three calls of a guest: ${d1.statements} (before: 3)`);
    expect(d1.statements, d1.texts.join("; ")).toBe(3);
  });

  it("is asked instead of a guard of an earlier release", async () => {
    const { key, id } = await caller();
    const earlier = guardsWith(() => ({ identify: () => Promise.reject(new TypeError("no such method")) }));
    const call = callsWith({ "x-api-key": key }, gateway(earlier));
    expect((await call("GET", `/instances/${id}/status`)).status).toBe(200);
  });
});

describe("the next call", () => {
  let one: Awaited<ReturnType<typeof caller>>;
  const asBoss = async (method: string, path: string, body?: unknown) => {
    const { status } = await one.boss.call(method, `/admin/users/${one.who.user.id}${path}`, body, { "x-audit-reason": "test" });
    expect(status).toBeLessThan(300);
  };

  beforeEach(async () => {
    one = await caller();
  });

  it("is refused once its key is removed, whatever an isolate knows of it", async () => {
    const hash = (await hashOf(one.keyId)) ?? "";
    const knowing = () => env.ACCOUNT_GUARD.getByName(one.who.user.id).identify(hash, one.id);
    expect(await knowing()).not.toBeNull();
    expect((await one.token("DELETE", `/api-keys/${one.keyId}`)).status).toBe(200);
    expect(await knowing()).toBeNull();
    expect(await identifyKey(env.DB, hash, one.id)).toBeNull();
    expect(codeOf(await one.status())).toEqual([401, "unauthorized"]);
  });

  it("passes after another key of the account is removed", async () => {
    const { id } = await keyOf(one.who);
    expect((await one.token("DELETE", `/api-keys/${id}`)).status).toBe(200);
    expect((await one.status()).status).toBe(200);
  });

  it("is refused while the account is suspended, and only then", async () => {
    await asBoss("POST", "/suspend");
    expect(codeOf(await one.status())).toEqual([403, "account_suspended"]);
    expect(codeOf(await one.status())).toEqual([403, "account_suspended"]);
    await asBoss("POST", "/activate");
    expect((await one.status()).status).toBe(200);
  });

  it("has the rights of the role that its user has now", async () => {
    const listed = () => one.call("GET", "/admin/users");
    const expected = async (status: number) => expect((await listed()).status).toBe(status);
    await expected(403);
    await asBoss("PATCH", "", { role: "admin" });
    for (let n = 0; n < 3; n += 1) await expected(200);
    await asBoss("PATCH", "", { role: "user" });
    await expected(403);
  });

  it("finds no instance that was deleted", async () => {
    expect((await one.token("DELETE", `/instances/${one.id}`)).status).toBe(200);
    expect(codeOf(await one.status())).toEqual([404, "instance_not_found"]);
    expect(codeOf(await one.call("PATCH", `/instances/${one.id}`, { name: "x" }))).toEqual([404, "instance_not_found"]);
  });

  it("is refused once the account is deleted", async () => {
    await env.ACCOUNT_GUARD.getByName(one.who.user.id).remove({ userId: one.who.user.id, email: one.who.user.email });
    expect(codeOf(await one.status())).toEqual([401, "unauthorized"]);
  });

  it("is refused to a guest once the share has ended", async () => {
    const guest = await caller();
    const share = await shared(one, guest.who.user.email);
    const look = () => guest.call("GET", `/instances/${one.id}/status`);
    for (let n = 0; n < 3; n += 1) expect((await look()).status).toBe(200);
    await share.end();
    expect(codeOf(await look())).toEqual([404, "instance_not_found"]);
  });

  it("sees the instance as it was changed just now", async () => {
    expect((await one.token("PATCH", `/instances/${one.id}`, { name: "Filial" })).status).toBe(200);
    expect((await one.call("GET", `/instances/${one.id}`)).body.data.name).toBe("Filial");
  });
});

describe("a revocation that the guard does not hear of", () => {
  it("is tried a second time", async () => {
    const one = await caller();
    let calls = 0;
    const guards = guardsWith((guard) => ({
      endStreams: (...args) => ((calls += 1) === 1 ? Promise.reject(away()) : guard.endStreams(...args)),
    }));
    const call = callsWith({ authorization: `Bearer ${one.who.token}` }, gateway(guards));
    expect((await call("DELETE", `/api-keys/${one.keyId}`)).status).toBe(200);
    expect((await one.status()).status).toBe(401);
  });

  it("answers 503, binds a minute later, and at once when it is repeated", async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    const [one, other] = [await caller(), await caller()];
    const guards = guardsWith(() => ({ endStreams: () => Promise.reject(away()) }));
    for (const { who, keyId, status } of [one, other]) {
      const call = callsWith({ authorization: `Bearer ${who.token}` }, gateway(guards));
      expect((await call("DELETE", `/api-keys/${keyId}`)).status).toBe(503);
      expect((await status()).status).toBe(200);
    }
    expect((await other.token("DELETE", `/api-keys/${other.keyId}`)).status).toBe(404);
    expect((await other.status()).status).toBe(401);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect((await one.status()).status).toBe(401);
  });
});

describe("a guard's cached entry", () => {
  it("is discarded if the guard's cache was cleared while the entry was being read", async () => {
    const { keyId, id } = await caller();
    const hash = (await hashOf(keyId)) ?? "";
    const old = await identifyKey(env.DB, hash, id);
    const answers: ((found: Identified | null) => void)[] = [];
    const callers = new Callers(() => new Promise((resolve) => answers.push(resolve)), new Map());
    const asked = callers.identify(hash, id);
    callers.forget();
    answers[0]?.(old);
    await vi.waitFor(() => expect(answers).toHaveLength(2), { timeout: 60_000, interval: 1 });
    answers[1]?.(null);
    expect(await asked).toBeNull();
    // This call reads again, because nothing was cached.
    const again = callers.identify(hash, id);
    expect(answers).toHaveLength(3);
    answers[2]?.(null);
    expect(await again).toBeNull();
  });

  it("never records that a key or instance does not exist", async () => {
    const { keyId, id } = await caller();
    const hash = (await hashOf(keyId)) ?? "";
    const found = await identifyKey(env.DB, hash, id);
    if (found === null) throw new Error("no key");
    let known: Identified | null = null;
    const callers = new Callers(async () => known, new Map());
    expect(await callers.identify(hash, id)).toBeNull();
    known = { ...found, access: null };
    expect((await callers.identify(hash, id))?.access).toBeNull();
    known = found;
    expect((await callers.identify(hash, id))?.access?.role).toBe("owner");
  });

  it("works for hours while D1 is away, unless the guard was told to forget", async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    const { keyId, id } = await caller();
    const hash = (await hashOf(keyId)) ?? "";
    let failure: Error | null = null;
    const stored = new Map();
    const instance = () => new Callers(() => (failure === null ? identifyKey(env.DB, hash, id) : Promise.reject(failure)), stored);
    let callers = instance();
    const known = await callers.identify(hash, id);
    const until = Date.now() + 6 * HOUR_MS;
    failure = new Error("Failed query", { cause: new Error("D1_ERROR: Network connection lost.") });
    vi.setSystemTime(until - 1);
    expect((await callers.identify(hash, id))?.access).toEqual(known?.access);
    // A new instance of the object knows the key too.
    callers = instance();
    expect(await callers.identify(hash, id)).toMatchObject({ user: { id: known?.user.id }, key: { id: keyId }, access: known?.access });
    // The entry was not renewed meanwhile, so it expires.
    vi.setSystemTime(until);
    await expect(callers.identify(hash, id)).rejects.toBe(failure);
    vi.setSystemTime(until - HOUR_MS);
    failure = new Error("no such table: account_key");
    await expect(callers.identify(hash, id)).rejects.toBe(failure);
    failure = new Error("D1_ERROR: Network connection lost.");
    callers.forget();
    await expect(callers.identify(hash, id)).rejects.toBe(failure);
    await expect(instance().identify(hash, id)).rejects.toBe(failure);
  });

  it("is written at most once an hour, unless it has changed", async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    const { keyId, id } = await caller();
    const hash = (await hashOf(keyId)) ?? "";
    let found = await identifyKey(env.DB, hash, id);
    const stored = new Map();
    const write = vi.spyOn(stored, "set");
    const callers = new Callers(async () => found, stored);
    for (let minute = 0; minute < 60; minute += 1) {
      await callers.identify(hash, id);
      vi.setSystemTime(Date.now() + MINUTE_MS);
    }
    expect(write).toHaveBeenCalledTimes(2);
    if (found?.key == null) throw new Error("no key");
    found = { ...found, key: { ...found.key, scopes: ["read"] } };
    await callers.identify(hash, id);
    vi.setSystemTime(Date.now() + 5 * MINUTE_MS);
    found = null;
    expect(await callers.identify(hash, id)).toBeNull();
    expect([...stored.keys()].map((name: string) => name.split(":")[0])).toEqual(["own"]);
  });

  it("is read again after the clock was set back", async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    const { keyId, id } = await caller();
    const hash = (await hashOf(keyId)) ?? "";
    const read = vi.fn(() => identifyKey(env.DB, hash, id));
    const callers = new Callers(read, new Map());
    await callers.identify(hash, id);
    vi.setSystemTime(Date.now() - 1);
    await callers.identify(hash, id);
    expect(read).toHaveBeenCalledTimes(2);
  });
});

async function hashOf(keyId: string): Promise<string | null> {
  return env.DB.prepare("SELECT hash FROM account_key WHERE id = ?").bind(keyId).first<string>("hash");
}

/** Shares the instance with the user at this address. */
async function shared({ id, keyId }: { id: string; keyId: string }, email: string) {
  const access = (await identifyKey(env.DB, (await hashOf(keyId)) ?? "", id))?.access;
  if (access === null || access === undefined) throw new Error("no instance");
  const added = await addShare(bindings, access.connection, email, "viewer", Date.now());
  if (!added.ok) throw new Error(added.failure.code);
  return { end: () => removeShare(bindings, access.connection, added.value.share.id) };
}
