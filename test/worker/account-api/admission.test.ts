// The guards in front of the Account API: the same limits as on the Connection API (docs/internals/admission.md, "Burst limit").
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import type { Call } from "@gateway/protocol/connection.ts";
import { accountGuardStub } from "#root/src/services/accounts/guard.ts";
import { callsWith, codeOf, holder, instanceOf, keyOf, type Calls, type Reply } from "../support/accounts.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const counted = (answers: readonly Reply[]) => ({
  passed: answers.filter(({ status }) => status === 200).length,
  refused: answers.filter(({ status, body }) => status === 429 && body.error.code === "rate_limited").length,
});

const burst = (times: number, ask: (n: number) => Promise<Reply>) => Promise.all(Array.from({ length: times }, (_, n) => ask(n)));

const READS_OF_INSTANCE = ["status", "health", "history-sync", "capabilities"];

// `n` makes reads differ, so the limit on repeated reads does not apply.
describe.each([
  ["of the account", (_: string, n: number) => `/instances?q=${n}`],
  ["of an instance", (id: string, n: number) => `/instances/${id}/${READS_OF_INSTANCE[n % READS_OF_INSTANCE.length]}`],
])("calls %s", (_, path) => {
  const place = async (call: Calls) => {
    const { id } = await instanceOf(call);
    return (n = 0) => path(id, n);
  };

  it("are limited to 200 in ten seconds per key, with Retry-After", async () => {
    const { who, call } = await holder();
    const where = await place(call);
    const first = callsWith({ "x-api-key": (await keyOf(who)).key });
    const other = callsWith({ "x-api-key": (await keyOf(who)).key });
    const answers = await burst(204, (n) => first("GET", where(n)));
    expect(counted(answers)).toEqual({ passed: 200, refused: 4 });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toBe("10");
    expect(refused?.headers.get("ratelimit-policy")).toContain("200;w=10");
    expect((await other("GET", where())).status).toBe(200);
    vi.setSystemTime(Date.now() + 10_000);
    expect((await first("GET", where())).status).toBe(200);
  });

  it("count toward one limit with any token of a user", async () => {
    const { call, token } = await holder();
    const where = await place(call);
    expect(counted(await burst(203, (n) => token("GET", where(n))))).toEqual({ passed: 200, refused: 3 });
    expect((await call("GET", where())).status).toBe(200);
  });

  it("are limited to 60 a minute when they repeat one read", async () => {
    const { call } = await holder();
    const where = await place(call);
    // An ignored parameter does not make a read distinct.
    const answers = await burst(62, (n) => call("GET", `${where()}${where().includes("?") ? "&" : "?"}ignored=${n}`));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused === undefined ? null : codeOf(refused)).toEqual([429, "repeated_read"]);
    expect((await call("GET", where(1))).status).toBe(200);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await call("GET", where())).status).toBe(200);
  });
});

describe("a repeated Idempotency-Key", () => {
  it("replays the first response of an instance's object per key, but no refusal from before the attempt", async () => {
    const { who, call } = await holder();
    const { id } = await instanceOf(call);
    const once = { "idempotency-key": "once" };
    const restart = (by: Calls) => by("POST", `/instances/${id}/restart`, undefined, once);
    const [first, second] = [await restart(call), await restart(call)];
    expect(second.body).toEqual(first.body);
    expect([first, second].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    const other = callsWith({ "x-api-key": (await keyOf(who)).key });
    expect((await restart(other)).headers.get("idempotent-replayed")).toBeNull();
    const seen = { "idempotency-key": "seen" };
    for (let time = 0; time < 2; time += 1) {
      const refused = await call("POST", `/instances/${id}/chats/5511900000002@c.us/seen`, undefined, seen);
      expect([refused.status, refused.headers.get("idempotent-replayed")]).toEqual([404, null]);
    }
    await call("POST", `/instances/${id}/disconnect`);
  });

  it("never repeats a change whose worker died during it", async () => {
    const { who } = await holder();
    const call: Call = {
      caller: { kind: "account", subject: who.user.id, role: "owner" },
      requestId: "test",
      method: "POST",
      route: "/instances",
      query: "",
      idempotencyKey: "once",
      fingerprint: "instance",
      flags: { mutating: true, counted: false, cached: false },
      operation: "createInstance",
      input: "{}",
      rejected: null,
    };
    const guard = accountGuardStub(env as unknown as Env, who.user.id);
    const died = await guard.perform(call, () => Promise.reject(new Error("Network connection lost.")));
    expect(died).toMatchObject({ ok: false });
    let runs = 0;
    const again = () => guard.perform(call, async () => ({ ok: true, value: String((runs += 1)) }));
    for (const result of [await again(), await again()]) expect(result).toMatchObject({ failure: { code: "send_outcome_unknown" } });
    expect(runs).toBe(0);
  });

  it("is refused on another route, which would respond differently", async () => {
    const { call } = await holder();
    const { id } = await instanceOf(call);
    const ofInstance = { "idempotency-key": "of-an-instance" };
    const ofAccount = { "idempotency-key": "of-the-account" };
    const [restarted, made] = [
      await call("POST", `/instances/${id}/restart`, undefined, ofInstance),
      await call("POST", "/instances", { name: "Loja", connect: false }, ofAccount),
    ];
    expect([restarted.status, made.status]).toEqual([200, 201]);
    const others = [
      await call("POST", `/instances/${id}/logout`, undefined, ofInstance),
      await call("POST", `/instances/${id}/pairing-code`, { phone: "5511900000001" }, ofInstance),
      await call("POST", `/instances/${id}/pairing-code`, { phone: 1 }, ofInstance),
      await call("POST", "/webhooks", { url: "https://hooks.example.com/a", events: ["message.received"] }, ofAccount),
      await call("DELETE", `/instances/${id}`, undefined, ofAccount),
    ];
    for (const other of others) {
      expect([codeOf(other), other.headers.get("idempotency-mismatch")]).toEqual([[409, "content_differs"], "true"]);
    }
    expect((await call("GET", `/instances/${id}`)).status).toBe(200);
    await call("POST", `/instances/${id}/disconnect`);
  });
});

describe("a credential", () => {
  it("wins over a bearer token if it is in X-Api-Key", async () => {
    const [mine, other] = [await holder(), await holder()];
    const both = callsWith({ "x-api-key": mine.key, authorization: `Bearer ${other.who.token}` });
    expect((await both("GET", "/me")).body.data).toMatchObject({ id: mine.who.user.id, api_key: { id: mine.keyId } });
    const spoilt = callsWith({ "x-api-key": "acc_no", authorization: `Bearer ${other.who.token}` });
    expect(codeOf(await spoilt("GET", "/me"))).toEqual([401, "unauthorized"]);
  });

  it("is checked before the body and the route's parameters", async () => {
    const nobody = callsWith({});
    expect(codeOf(await nobody("POST", "/instances", "{"))).toEqual([401, "unauthorized"]);
    expect(codeOf(await nobody("GET", "/instances?limit=0"))).toEqual([401, "unauthorized"]);
  });
});

describe("a refusal", () => {
  it("has a code, a sentence and the request's id, which the header repeats", async () => {
    const { call } = await holder();
    const refused = await call("GET", `/instances/${crypto.randomUUID()}`);
    expect(refused.body).toEqual({
      error: { code: "instance_not_found", message: expect.stringMatching(/\.$/) },
      request_id: refused.headers.get("x-request-id"),
    });
    const wrong = await call("POST", "/webhooks", { url: 1 });
    expect(wrong.body.error.details).toContainEqual({ field: "url", issue: expect.any(String) });
  });
});
