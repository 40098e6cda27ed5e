// User administration: invitation, role, suspension, subscription, deletion with a grace period, and the audit log.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createApp } from "#root/src/app.ts";
import type { Env } from "#root/src/env.ts";
import { never } from "#root/src/http/response-headers.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { listMail, mailStore } from "#root/src/sandbox/mail-store.ts";
import { choosePassword } from "#root/src/services/identity/password-links.ts";
import { purgeIdentityRows } from "#root/src/services/identity/purge.ts";
import { addUnconfirmedUser, setRole } from "#root/src/services/users/user-table.ts";
import { runWatchdog } from "#root/src/services/watchdog/watch.ts";
import { allDisconnected } from "../support/account-session.ts";
import { callsWith, codeOf, holder, instanceOf } from "../support/accounts.ts";
import { freshEmail } from "../support/people.ts";
import { ringAlarm } from "../support/eviction.ts";

const bindings = { ...env, MAIL: mailStore(env.DB) } as unknown as Env;
const app = createApp({ plainHttpAllowed: never });

afterEach(allDisconnected);

/** Resolves once background work after the response, such as email, has finished. */
async function asked(path: string, init?: RequestInit, all: Env = bindings): Promise<Response> {
  const context = createExecutionContext();
  const answer = await app.fetch(new Request(`https://app.example.com${path}`, init), all, context);
  await waitOnExecutionContext(context);
  return answer;
}

async function administrator(ask: typeof asked = asked) {
  const person = await holder(ask);
  await setRole(env.DB, person.who.user.id, "admin");
  return person;
}

/** Guards that fail to push to the objects. */
const withoutPushes = (): Env["ACCOUNT_GUARD"] => {
  const pushRecords = () => Promise.reject(new Error("away"));
  const getByName = (id: string) =>
    new Proxy(env.ACCOUNT_GUARD.getByName(id), {
      get: (guard, name) => (name === "pushRecords" ? pushRecords : Reflect.get(guard, name)),
    });
  return { getByName } as unknown as Env["ACCOUNT_GUARD"];
};

const newUser = (change: object = {}) => ({ email: freshEmail(), name: "Ana Souza", role: "user", ...change });
const mailsTo = async (address: string) => (await listMail(env.DB)).filter(({ to }) => to === address);
const subjects = async (address: string) => (await mailsTo(address)).map(({ subject }) => subject.split(" / ")[1]);
const tokenIn = (text: string) => new URL(/\S+\/set-password\?token=\S+/.exec(text)?.[0] ?? "").searchParams.get("token") ?? "";

describe("an invited user", () => {
  it("signs in by the emailed link, with the assigned role and subscription", async () => {
    const { call } = await administrator();
    const terms = { plan: "pro", status: "active", max_instances: 3, current_period_end: "2031-01-01T00:00:00.000Z" };
    const wanted = newUser({ role: "admin", subscription: terms });
    const made = await call("POST", "/admin/users", wanted);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({ ...wanted, status: "active", is_confirmed: false, instances_count: 0, last_seen_at: null });
    const [mail] = await mailsTo(wanted.email);
    expect(mail?.subject).toBe("Você tem uma conta / You have an account");
    // The link works for a week, then expires.
    const chosen = { token: tokenIn(mail?.text ?? ""), password: "a password of ten", name: null };
    expect((await choosePassword(bindings, chosen, Date.now() + 7 * DAY_MS + 1)).ok).toBe(false);
    expect((await choosePassword(bindings, chosen, Date.now() + 6 * DAY_MS)).ok).toBe(true);
    expect((await call("GET", `/admin/users/${made.body.data.id}`)).body.data).toMatchObject({ is_confirmed: true, role: "admin" });
  });

  it("replaces an unconfirmed sign-up, and never another user", async () => {
    const { call } = await administrator();
    const wanted = newUser();
    const signedUp = await addUnconfirmedUser(env.DB, wanted.email, "Whoever");
    const made = await call("POST", "/admin/users", { ...wanted, email: wanted.email.toUpperCase() });
    expect([made.status, made.body.data.email]).toEqual([201, wanted.email]);
    expect(made.body.data.id).not.toBe(signedUp?.id);
    expect(codeOf(await call("POST", "/admin/users", wanted))).toEqual([409, "email_taken"]);
    expect(await mailsTo(wanted.email)).toHaveLength(1);
  });

  it("stays when the invitation is not followed, unlike somebody who signed up", async () => {
    const { call } = await administrator();
    const { id } = (await call("POST", "/admin/users", newUser())).body.data;
    const signedUp = await addUnconfirmedUser(env.DB, freshEmail(), "Whoever");
    const later = Date.now() + 30 * DAY_MS;
    await purgeIdentityRows(env.DB, later - (later % 3_600_000));
    expect((await call("GET", `/admin/users/${id}`)).status).toBe(200);
    expect(codeOf(await call("GET", `/admin/users/${signedUp?.id}`))).toEqual([404, "user_not_found"]);
  });

  it("does not exist if the email cannot be sent", async () => {
    const MAIL = { send: async () => Promise.reject(new Error("refused")) } as unknown as Env["MAIL"];
    const { call } = await administrator((path, init) => asked(path, init, { ...bindings, MAIL }));
    const wanted = newUser();
    expect(codeOf(await call("POST", "/admin/users", wanted))).toEqual([503, "unavailable"]);
    expect((await call("GET", `/admin/users?q=${wanted.email}`)).body.data).toEqual([]);
  });

  it("leaves an existing sign-up unchanged if the email or the subscription fails, and the log says which", async () => {
    const written = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const MAIL = { send: async () => Promise.reject(new Error("refused")) } as unknown as Env["MAIL"];
    const subscription = { plan: "pro", status: "active", max_instances: 3, current_period_end: null };
    for (const [broken, event] of [
      [{ MAIL }, "account.invitation_not_mailed"],
      [{ ACCOUNT_GUARD: withoutPushes() }, "account.invited_without_subscription"],
    ] as const) {
      const { who } = await administrator();
      const all = { ...bindings, ...broken };
      const { call } = { call: callsWith({ authorization: `Bearer ${who.token}` }, (path, init) => asked(path, init, all)) };
      const wanted = newUser({ subscription });
      const signedUp = await addUnconfirmedUser(env.DB, wanted.email, "Whoever");
      expect(codeOf(await call("POST", "/admin/users", wanted))).toEqual([503, "unavailable"]);
      const found = (await call("GET", `/admin/users?q=${wanted.email}`)).body.data;
      expect(found.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual([[signedUp?.id, "Whoever"]]);
      expect(written.mock.calls.flat().filter((line) => String(line).includes(`"${event}"`))).toHaveLength(1);
    }
    written.mockRestore();
  });
});

describe("the list of users", () => {
  it("finds by name and address, by status, and page by page", async () => {
    const { call } = await administrator();
    const mark = crypto.randomUUID();
    const made = [];
    for (const name of ["Ana", "Bia", "Caio"])
      made.push((await call("POST", "/admin/users", newUser({ name: `${name} ${mark}` }))).body.data);
    const ids = made.map(({ id }) => id as string);
    const pages: string[][] = [];
    for (let path = `/admin/users?q=${mark}&limit=2`; path !== "";) {
      const { data, next_cursor } = (await call("GET", path)).body;
      pages.push(data.map(({ id }: { id: string }) => id));
      path = next_cursor === null ? "" : `/admin/users?q=${mark}&limit=2&cursor=${next_cursor}`;
    }
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    expect(pages.flat().toSorted()).toEqual(ids.toSorted());
    await call("POST", `/admin/users/${ids[0]}/suspend`);
    const found = async (query: string) => (await call("GET", `/admin/users?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await found(`q=${mark}&status=suspended`)).toEqual([ids[0]]);
    expect(await found(`q=${made[1].email.slice(0, 30).toUpperCase()}`)).toEqual([ids[1]]);
    expect(await found(`q=%20${made[1].email}%20`)).toEqual([ids[1]]);
    expect(await found("q=%25")).toEqual([]);
  });

  it("shows the last activity, to the hour, and the number of instances", async () => {
    const { call } = await administrator();
    const person = await holder(asked);
    const at = `/admin/users/${person.who.user.id}`;
    expect((await call("GET", at)).body.data).toMatchObject({ last_seen_at: null, instances_count: 0 });
    await instanceOf(person.call);
    const { last_seen_at, instances_count } = (await call("GET", at)).body.data;
    expect([Math.abs(Date.parse(last_seen_at) - Date.now()) < 60_000, instances_count]).toEqual([true, 1]);
    await person.call("GET", "/me");
    expect((await call("GET", at)).body.data.last_seen_at).toBe(last_seen_at);
  });
});

describe("administrators", () => {
  it("do not demote, suspend or delete themselves", async () => {
    const { call, who } = await administrator();
    const me = `/admin/users/${who.user.id}`;
    for (const [method, path, body] of [
      ["PATCH", me, { role: "user" }],
      ["POST", `${me}/suspend`, {}],
      ["DELETE", me, undefined],
    ] as const)
      expect([path, ...codeOf(await call(method, path, body))]).toEqual([path, 409, "own_account"]);
    expect((await call("PATCH", me, { name: "Chief", role: "admin" })).body.data).toMatchObject({ name: "Chief", role: "admin" });
  });

  it("cannot all be removed, not even by each other at once", async () => {
    await env.DB.prepare("UPDATE user SET role = 'user'").run();
    const [one, other] = [await administrator(), await administrator()];
    const take = ({ call }: typeof one, { who }: typeof one) => call("PATCH", `/admin/users/${who.user.id}`, { role: "user" });
    await Promise.all([take(one, other), take(other, one)]);
    const left = async () => (await env.DB.prepare("SELECT id FROM user WHERE role = 'admin' AND status = 'active'").all()).results;
    expect(await left()).toHaveLength(1);
    // A third administrator who is suspended does not count as remaining.
    const third = await administrator();
    await Promise.all([one, other, third].map(({ call, who }) => call("POST", `/admin/users/${who.user.id}/suspend`)));
    for (const { call } of [one, other, third])
      for (const { who } of [one, other, third]) await call("POST", `/admin/users/${who.user.id}/suspend`);
    expect(await left()).toHaveLength(1);
  });

  it("lose access at once when demoted, their keys too", async () => {
    const [one, other] = [await administrator(), await administrator()];
    expect((await other.call("GET", "/admin/users")).status).toBe(200);
    await one.call("PATCH", `/admin/users/${other.who.user.id}`, { role: "user" });
    for (const call of [other.call, other.token]) expect(codeOf(await call("GET", "/admin/users"))).toEqual([403, "forbidden"]);
  });
});

it("a subscription takes effect at once: keys of connections are answered 402 and work again", async () => {
  const { call } = await administrator();
  const person = await holder(asked);
  const at = `/admin/users/${person.who.user.id}/subscription`;
  const made = await asked("/api/dashboard/connections", {
    method: "POST",
    headers: person.who.headers,
    body: JSON.stringify({ name: "A" }),
  });
  const { data } = (await made.json()) as { data: { id: number } };
  const keys = `/api/dashboard/connections/${data.id}/keys`;
  const key = await asked(keys, { method: "POST", headers: person.who.headers, body: JSON.stringify({ name: "A" }) });
  const { key: value } = ((await key.json()) as { data: { key: string } }).data;
  const status = async () => (await asked("/api/v1/instance", { headers: { "x-api-key": value } })).status;
  expect(await status()).toBe(200);
  const terms = { plan: "pro", status: "past_due", max_instances: 1, current_period_end: null };
  expect((await call("PUT", at, terms)).body.data.subscription).toEqual(terms);
  expect(await status()).toBe(402);
  await call("PUT", at, { ...terms, status: "active" });
  expect(await status()).toBe(200);
  expect(codeOf(await person.call("POST", "/instances", { name: "B", connect: false }))).toEqual([409, "instance_limit"]);
  for (const wrong of [{ max_instances: 10_001 }, { max_instances: -1 }, { status: "paid" }, { plan: "" }])
    expect(codeOf(await call("PUT", at, { ...terms, ...wrong }))).toEqual([400, "validation_error"]);
});

it("an empty change is refused, and not recorded", async () => {
  const { call, who } = await administrator();
  const person = await holder();
  for (const body of [{}, { reason: "Why not" }]) {
    const { status, body: answer } = await call("PATCH", `/admin/users/${person.who.user.id}`, body);
    expect([status, answer.error.code, answer.error.details[0].issue]).toEqual([400, "validation_error", "must have at least one field"]);
  }
  expect((await call("GET", `/admin/audit?actor=${who.user.email}`)).body.data).toEqual([]);
});

it("a suspension, its end and a deletion are emailed once, even if the objects could not be notified at first", async () => {
  const { who, call } = await administrator();
  const person = await holder();
  const broken = { ...bindings, ACCOUNT_GUARD: withoutPushes() };
  const failing = callsWith({ authorization: `Bearer ${who.token}` }, (path, init) => asked(path, init, broken));
  const at = `/admin/users/${person.who.user.id}`;
  const mailed: string[] = [];
  for (const [method, path, subject] of [
    ["POST", `${at}/suspend`, "Your account is suspended"],
    ["POST", `${at}/activate`, "Your account is active"],
    ["DELETE", at, "Your account will be deleted"],
  ] as const) {
    expect((await failing(method, path)).status).toBeGreaterThanOrEqual(500);
    expect((await call(method, path)).status).toBe(200);
    mailed.unshift(subject);
    expect(await subjects(person.who.user.email)).toEqual(mailed);
  }
});

describe("a key made without scopes", () => {
  it("has no administrator rights when its user becomes one, unlike a key with that scope", async () => {
    const person = await holder(asked);
    const made = async (body: object) => (await person.token("POST", "/api-keys", { name: "CI", ...body })).body.data;
    const before = await made({});
    expect(before.scopes).toEqual(["read", "send", "manage"]);
    await setRole(env.DB, person.who.user.id, "admin");
    const [after, named] = [await made({}), await made({ scopes: ["admin"] })];
    expect([after.scopes, named.scopes]).toEqual([["read", "send", "manage"], ["admin"]]);
    const asks = async ({ key }: { key: string }) => (await callsWith({ "x-api-key": key }, asked)("GET", "/admin/users")).status;
    expect([await asks(before), await asks(after), await asks(named)]).toEqual([403, 403, 200]);
    expect((await callsWith({ "x-api-key": before.key }, asked)("GET", "/instances")).status).toBe(200);
  });
});

describe("the audit log", () => {
  it("has one entry per change, with actor, key, reason, before and after, and one per refusal", async () => {
    const { call, who, keyId, token } = await administrator();
    const person = await holder();
    const { id } = person.who.user;
    const named = await call("PATCH", `/admin/users/${id}`, { name: "New", role: "admin", reason: "  Promoted  " });
    const repeat = { "idempotency-key": crypto.randomUUID() };
    for (let time = 0; time < 2; time += 1) await token("POST", `/admin/users/${id}/suspend`, {}, repeat);
    await call("PATCH", `/admin/users/${who.user.id}`, { role: "user" });
    const { data } = (await call("GET", `/admin/audit?actor=${who.user.email}`)).body;
    const actor = { id: who.user.id, email: who.user.email };
    expect(data).toEqual([
      expect.objectContaining({
        action: "updateUser",
        actor: { ...actor, key_id: keyId },
        target: who.user.id,
        outcome: "refused",
        failure: "own_account",
        before: null,
        after: null,
      }),
      expect.objectContaining({ action: "suspendUser", actor: { ...actor, key_id: null }, reason: null, outcome: "done" }),
      {
        id: expect.any(String),
        at: expect.any(String),
        action: "updateUser",
        actor: { ...actor, key_id: keyId },
        target: id,
        reason: "Promoted",
        before: { name: "Someone", role: "user" },
        after: { name: "New", role: "admin" },
        outcome: "done",
        failure: null,
        request_id: named.headers.get("x-request-id"),
      },
    ]);
  });

  it("is filtered by action, target and time, and read page by page", async () => {
    const { call, who } = await administrator();
    const people = [await holder(), await holder(), await holder()];
    for (const { who } of people) await call("PATCH", `/admin/users/${who.user.id}`, { name: "X" });
    const targets = async (query: string) =>
      (await call("GET", `/admin/audit?actor=${who.user.id}&${query}`)).body.data.map(({ target }: { target: string }) => target);
    const all = people.map((person) => person.who.user.id).toReversed();
    expect(await targets("action=updateUser")).toEqual(all);
    expect(await targets("action=deleteUser")).toEqual([]);
    expect(await targets(`target=${all[1]}`)).toEqual([all[1]]);
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    expect([await targets(`from=${hourAgo}`), await targets(`to=${hourAgo}`)]).toEqual([all, []]);
    const { next_cursor } = (await call("GET", `/admin/audit?actor=${who.user.id}&limit=2`)).body;
    expect(await targets(`limit=2&cursor=${next_cursor}`)).toEqual(all.slice(2));
  });

  it("shows an interrupted action as unknown, and blocks actions that could not be recorded", async () => {
    const failing = (statement: RegExp): Env => {
      const prepare = (sql: string) => {
        if (statement.test(sql)) throw new Error("broken");
        return env.DB.prepare(sql);
      };
      return {
        ...bindings,
        DB: new Proxy(env.DB, { get: (target, name) => (name === "prepare" ? prepare : Reflect.get(target, name).bind?.(target)) }),
      };
    };
    const { who, key } = await administrator();
    const person = await holder();
    const at = `/admin/users/${person.who.user.id}`;
    const through = (all: Env) => callsWith({ "x-api-key": key }, (path, init) => asked(path, init, all));
    const nameOf = async () => (await through(bindings)("GET", at)).body.data.name;
    const entries = async () => (await through(bindings)("GET", `/admin/audit?actor=${who.user.id}`)).body.data;
    expect((await through(failing(/insert into "audit_entry"/i))("PATCH", at, { name: "A" })).status).toBe(500);
    expect([await nameOf(), await entries()]).toEqual(["Someone", []]);
    expect((await through(failing(/update "user" set "name"/i))("PATCH", at, { name: "B" })).status).toBe(500);
    expect((await entries()).map(({ outcome }: { outcome: string }) => outcome)).toEqual(["unknown"]);
    expect((await through(failing(/update "audit_entry"/i))("PATCH", at, { name: "C" })).status).toBe(200);
    expect(await nameOf()).toBe("C");
    expect((await entries()).map(({ outcome, target }: Record<string, string>) => [outcome, target])).toEqual([
      ["unknown", person.who.user.id],
      ["unknown", person.who.user.id],
    ]);
  });
});

// Runs last, because a month later the watchdog also retires the keys that signed this file's tokens.
describe("a deletion", () => {
  it("suspends at once, can be cancelled, and is completed by the watchdog after 30 days", async () => {
    const { call } = await administrator();
    const person = await holder(asked);
    const { id, email } = person.who.user;
    const instance = await instanceOf(person.call);
    const at = `/admin/users/${id}`;
    const before = Date.now();
    expect((await call("DELETE", `${at}?reason=Asked%20for`)).body.message).toContain("30 days");
    const { status, removal_at } = (await call("GET", at)).body.data;
    expect([status, Math.abs(Date.parse(removal_at) - before - 30 * DAY_MS) < 60_000]).toEqual(["suspended", true]);
    expect(codeOf(await person.call("GET", "/me"))).toEqual([403, "account_suspended"]);
    await call("POST", `${at}/activate`);
    expect((await call("GET", at)).body.data).toMatchObject({ status: "active", removal_at: null });
    expect((await person.call("GET", `/instances/${instance.id}`)).status).toBe(200);

    await call("DELETE", at);
    const { removal_at: due } = (await call("GET", at)).body.data;
    // A second call does not postpone the deletion.
    vi.useFakeTimers({ now: Date.now() + DAY_MS, toFake: ["Date"] });
    await call("DELETE", at);
    expect((await call("GET", at)).body.data.removal_at).toBe(due);
    expect(await subjects(email)).toEqual(["Your account will be deleted", "Your account is active", "Your account will be deleted"]);
    await runWatchdog(bindings, Date.parse(due) - 1);
    expect((await call("GET", at)).status).toBe(200);
    await runWatchdog(bindings, Date.parse(due));
    expect(codeOf(await call("GET", at))).toEqual([404, "user_not_found"]);
    expect(codeOf(await call("POST", `${at}/activate`))).toEqual([404, "user_not_found"]);
    await vi.waitFor(
      async () => {
        await ringAlarm(env.ACCOUNT_GUARD.getByName(id));
        expect(await env.DB.prepare("SELECT id FROM user WHERE id = ?").bind(id).first()).toBeNull();
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(await env.DB.prepare("SELECT id FROM connection WHERE uuid = ?").bind(instance.id).first()).toBeNull();
    // The log keeps the actions, without identifying the account's owner.
    const { data } = (await call("GET", `/admin/audit?target=${id}`)).body;
    expect(data.map(({ action, before, after, reason }: Record<string, unknown>) => [action, before, after, reason])).toEqual([
      ["activateUser", null, null, null],
      ...Array.from({ length: 2 }, () => ["deleteUser", null, null, null]),
      ["activateUser", null, null, null],
      ["deleteUser", null, null, null],
    ]);
  });
});
