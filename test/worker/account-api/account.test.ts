// The account itself and its keys.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { callsWith, codeOf, holder, instanceOf, keyOf } from "../support/accounts.ts";

describe("the account", () => {
  it("is shown to its key and to its token", async () => {
    const { who, keyId, call, token } = await holder();
    const { status, body } = await call("GET", "/me");
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id: who.user.id,
      email: who.user.email,
      role: "user",
      status: "active",
      subscription: { status: "active", max_instances: 50 },
      instances_count: 0,
      api_key: { id: keyId, name: "Test" },
      scopes: ["read", "send", "manage"],
      limits: { requests_per_10_s: 200, identical_reads_per_minute: 60 },
    });
    expect((await token("GET", "/me")).body.data.api_key).toBeUndefined();
  });
});

describe("keys", () => {
  it("are created with a bearer token only, work at once, and are shown once", async () => {
    const { call, token } = await holder();
    expect(codeOf(await call("POST", "/api-keys", { name: "CI" }))).toEqual([403, "bearer_required"]);
    const made = await token("POST", "/api-keys", { name: "CI" });
    expect(made.status).toBe(201);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const { key, id, ...shown } = made.body.data;
    expect(key).toMatch(/^acc_[\w-]{43}$/);
    expect(shown).toMatchObject({
      name: "CI",
      prefix: key.slice(0, 12),
      scopes: ["read", "send", "manage"],
      instance_ids: null,
      expires_at: null,
    });
    const mine = callsWith({ "x-api-key": key });
    expect((await mine("GET", "/me")).body.data.api_key).toEqual({ id, name: "CI" });
    const listed = (await token("GET", "/api-keys")).body.data as Record<string, unknown>[];
    expect(listed.map((each) => each["id"])).toContain(id);
    expect(JSON.stringify(listed)).not.toContain(key);
  });

  it("stop working when removed, whoever removes them", async () => {
    const { token, who } = await holder();
    for (const remove of ["token", "itself"]) {
      const { id, key } = await keyOf(who, { scopes: ["read"] });
      const mine = callsWith({ "x-api-key": key });
      expect((await mine("GET", "/me")).status).toBe(200);
      const by = remove === "token" ? token : mine;
      expect((await by("DELETE", `/api-keys/${id}`)).body).toEqual({ message: "The key is removed." });
      expect(codeOf(await mine("GET", "/me"))).toEqual([401, "unauthorized"]);
      expect(codeOf(await token("DELETE", `/api-keys/${id}`))).toEqual([404, "key_not_found"]);
    }
  });

  it("cannot be deleted by another account, which gets 404", async () => {
    const [mine, other] = [await holder(), await holder()];
    expect(codeOf(await other.call("DELETE", `/api-keys/${mine.keyId}`))).toEqual([404, "key_not_found"]);
    expect((await mine.call("GET", "/me")).status).toBe(200);
  });

  it("cannot exceed their creator's scopes and instances", async () => {
    const [mine, other] = [await holder(), await holder()];
    expect(codeOf(await mine.token("POST", "/api-keys", { name: "x", scopes: ["admin"] }))).toEqual([403, "forbidden"]);
    const foreign = await instanceOf(other.call);
    expect(codeOf(await mine.token("POST", "/api-keys", { name: "x", instance_ids: [foreign.id] }))).toEqual([404, "instance_not_found"]);
    const own = await instanceOf(mine.call);
    const made = await mine.token("POST", "/api-keys", { name: "x", scopes: ["read"], instance_ids: [own.id] });
    expect(made.body.data).toMatchObject({ scopes: ["read"], instance_ids: [own.id] });
  });

  it("may be restricted to 100 instances", async () => {
    const { who, token } = await holder();
    const ids = Array.from({ length: 100 }, () => crypto.randomUUID());
    const insert = env.DB.prepare(
      "INSERT INTO connection (uuid, owner_id, name, kind, created_at, updated_at) VALUES (?, ?, 'Loja', 'session', 0, 0)",
    );
    await env.DB.batch(ids.map((id) => insert.bind(id, who.user.id)));
    const made = await token("POST", "/api-keys", { name: "x", instance_ids: ids });
    expect([made.status, made.body.data?.instance_ids]).toEqual([201, ids]);
    const mine = callsWith({ "x-api-key": made.body.data.key });
    const listed = await mine("GET", "/instances?limit=1");
    expect([listed.status, listed.body.data?.[0]?.id]).toEqual([200, ids[0]]);
  });

  it("stop working when they expire", async () => {
    const { who, token } = await holder();
    expect((await token("POST", "/api-keys", { name: "x", expires_at: "2020-01-01T00:00:00Z" })).body.error.details[0].field).toBe(
      "expires_at",
    );
    const late = await token("POST", "/api-keys", { name: "x", expires_at: "2099-01-01T00:00:00+02:00" });
    expect(late.body.data.expires_at).toBe("2098-12-31T22:00:00.000Z");
    const { key } = await keyOf(who, { expiresAt: Date.now() - 1 });
    expect(codeOf(await callsWith({ "x-api-key": key })("GET", "/me"))).toEqual([401, "unauthorized"]);
  });

  it("are limited to exactly 50, even if created concurrently; expired ones free their place", async () => {
    const { who, token } = await holder();
    await keyOf(who, { expiresAt: Date.now() - 2 });
    const expired = await keyOf(who, { expiresAt: Date.now() - 1 });
    // 43 active keys, including the holder's own.
    for (let made = 1; made < 43; made += 1) await keyOf(who);
    const make = () => token("POST", "/api-keys", { name: "x" });
    const answers = await Promise.all(Array.from({ length: 12 }, make));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    const refused = await make();
    expect([...codeOf(refused), refused.body.error.details]).toEqual([409, "key_limit", { limit: 50 }]);
    const listed = (await token("GET", "/api-keys?limit=200")).body.data as { id: string }[];
    expect(listed).toHaveLength(50);
    expect(listed.map(({ id }) => id)).not.toContain(expired.id);
    await token("DELETE", `/api-keys/${listed[0]?.id}`);
    expect((await make()).status).toBe(201);
  });

  it("are created once for a repeated Idempotency-Key, and the value is not shown again", async () => {
    const { token } = await holder();
    const once = { "idempotency-key": "make-one" };
    const [first, second] = [
      await token("POST", "/api-keys", { name: "CI" }, once),
      await token("POST", "/api-keys", { name: "CI" }, once),
    ];
    expect([first.status, second.status, second.headers.get("idempotent-replayed")]).toEqual([201, 201, "true"]);
    expect(second.body.data).toEqual({ ...first.body.data, key: null });
    expect((await token("GET", "/api-keys")).body.data).toHaveLength(2);
  });

  it("are listed page by page, newest first", async () => {
    const { token } = await holder();
    for (const name of ["1", "2", "3"]) await token("POST", "/api-keys", { name });
    const first = await token("GET", "/api-keys?limit=2");
    const second = await token("GET", `/api-keys?limit=2&cursor=${first.body.next_cursor}`);
    const names = [...first.body.data, ...second.body.data].map((key: { name: string }) => key.name);
    expect(names.toSorted()).toEqual(["1", "2", "3", "Test"]);
    expect(second.body.next_cursor).toBeNull();
    expect((await token("GET", "/api-keys?cursor=nonsense")).body.error.details[0].field).toBe("cursor");
  });
});
