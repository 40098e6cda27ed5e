// Account deletion: who is allowed to, that everything stops with the response, and that no data remains.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { identifyUser } from "#root/src/services/callers/identify.ts";
import { identityProvider } from "#root/src/services/identity/provider.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import { closeAccount, removeDueAccounts } from "#root/src/services/accounts/remove.ts";
import { accountGuardStub, type AccountGuardStub, type ClosedAccount } from "#root/src/services/accounts/guard.ts";
import { addShare } from "#root/src/services/shares/shares.ts";
import { activateUser, deleteUserLater } from "#root/src/services/users/suspend.ts";
import { addUnconfirmedUser, setRole } from "#root/src/services/users/user-table.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { runWatchdog } from "#root/src/services/watchdog/watch.ts";
import { mailStore, listMail } from "#root/src/sandbox/mail-store.ts";
import { theirText } from "../fakes/messages.ts";
import { allDisconnected, connectedInstance } from "../support/account-session.ts";
import { callsWith, codeOf, holder, instanceOf } from "../support/accounts.ts";
import { CRASH } from "../support/crash.ts";
import { gateway } from "../support/gateway.ts";
import { evict, ringAlarm } from "../support/eviction.ts";
import { ownerWaits } from "../support/owner-mail.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await allDisconnected();
});

const PASSWORD = "a password of ten";
const bindings = env as unknown as Env;
type Holder = Awaited<ReturnType<typeof holder>>;

/** All values of all D1 tables as one text. */
async function everythingInD1(): Promise<string> {
  const { results } = await env.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf*'").all<{
    name: string;
  }>();
  const rows = await Promise.all(results.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`).all()));
  return JSON.stringify(rows.map(({ results: each }) => each));
}

const guardOf = ({ who }: Holder) => env.ACCOUNT_GUARD.getByName(who.user.id);
/** Emails are stored in the sandbox. A spy, because all test files in this isolate share the objects' bindings. */
const mailsKept = () => vi.spyOn(env.MAIL, "send").mockImplementation((mail) => mailStore(env.DB).send(mail as never));
const removal = (person: Holder, more: object = {}) => person.token("POST", "/me/delete", { email: person.who.user.email, ...more });
async function accessOf({ who }: Holder, uuid: string) {
  const found = await identifyUser(env.DB, who.user.id, uuid);
  if (found === null || found.access === null) throw new Error("no access");
  return found.access;
}
/** Waits for the removal's rounds to finish. */
const done = ({ who }: Holder) =>
  vi.waitFor(
    async () => {
      await ringAlarm(env.ACCOUNT_GUARD.getByName(who.user.id));
      expect(await env.DB.prepare("SELECT id FROM user WHERE id = ?").bind(who.user.id).first()).toBeNull();
    },
    { timeout: 60_000, interval: 100 },
  );

it("an account deletion requires the account's address and password, and limits guesses", async () => {
  const person = await holder();
  await setPassword(bindings, person.who.user.id, PASSWORD);
  const wrong = await person.token("POST", "/me/delete", { email: "other@example.com", password: PASSWORD });
  expect([codeOf(wrong), wrong.body.error.details]).toEqual([
    [400, "validation_error"],
    [{ field: "email", issue: "is not the address of this account" }],
  ]);
  for (const password of [undefined, "", "wrong", "wronger", "wrongest"]) {
    const refused = await removal(person, { password });
    expect([codeOf(refused), refused.body.error.details]).toEqual([[403, "forbidden"], { reason: "wrong_password" }]);
  }
  const late = await removal(person, { password: PASSWORD });
  expect(codeOf(late)).toEqual([429, "too_many_attempts"]);
  expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(3_000);
  expect((await person.call("GET", "/me")).status).toBe(200);
});

it("an account deletion requires a fresh sign-in if the account has no password, and accepts no key", async () => {
  const person = await holder();
  const at = Math.floor(Date.now() / 1000);
  const payload = { sub: person.who.user.id, iat: at - 301, exp: at + 300 };
  const { token } = await (await identityProvider(bindings)).api.signJWT({ body: { payload } });
  const stale = await callsWith({ authorization: `Bearer ${token}` })("POST", "/me/delete", { email: person.who.user.email });
  expect([codeOf(stale), stale.body.error.details]).toEqual([[403, "forbidden"], { reason: "sign_in_again" }]);
  expect(codeOf(await person.call("POST", "/me/delete", { email: person.who.user.email }))).toEqual([403, "bearer_required"]);
  expect((await person.call("GET", "/me")).status).toBe(200);
});

it("an account deletion stops everything with the response, and leaves no data in the end", async () => {
  const [person, other] = [await holder(), await holder()];
  await setPassword(bindings, person.who.user.id, PASSWORD);
  mailsKept();
  await mailStore(env.DB).send({ from: "g@example.com", to: person.who.user.email, subject: "Earlier", text: "mail" });
  const { id, session } = await connectedInstance(person.call);
  const idle = await instanceOf(person.call, { name: "Nome secreto" });
  await session.commit([{ type: "message.upsert", origin: "live", message: theirText("M1", "Texto secreto") }]);
  await person.call("POST", "/webhooks", { url: "https://hooks.example.com/secret", events: ["message.received"], secret: "whsec" });
  const about = { connection: id, mimetype: "image/png", filename: "secret.png", sizeBytes: 1, expiresAt: Date.now() + DAY_MS };
  const file = (await storeMedia(env.MEDIA, about, new Blob(["x"]).stream())) ?? "";
  // One share given to the other account and one received from it.
  const theirs = await instanceOf(other.call);
  const share = async (owner: Holder, uuid: string, guest: Holder) => {
    const access = await accessOf(owner, uuid);
    await addShare(bindings, access.connection, guest.who.user.email, "viewer", Date.now());
  };
  await share(person, id, other);
  await share(other, theirs.id, person);
  expect((await other.call("GET", `/instances/${id}`)).status).toBe(200);

  const answer = await removal(person, { password: PASSWORD });
  expect(answer.status).toBe(202);
  for (const path of ["/me", "/instances"]) {
    expect(codeOf(await person.call("GET", path))).toEqual([401, "unauthorized"]);
    expect(codeOf(await person.token("GET", path))).toEqual([401, "unauthorized"]);
  }
  expect(codeOf(await other.call("GET", `/instances/${id}`))).toEqual([404, "instance_not_found"]);
  expect((await gateway()(`/api/midia/${file}.png`)).status).toBe(404);
  expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: true });

  await done(person);
  const left = await everythingInD1();
  for (const trace of [person.who.user.id, id, idle.id, "Nome secreto", "hooks.example.com/secret"]) expect(left).not.toContain(trace);
  expect(left).toContain(other.who.user.id);
  const invited = await env.DB.prepare("SELECT email FROM share_invitation WHERE email IN (?, ?)")
    .bind(person.who.user.email, other.who.user.email)
    .all();
  expect(invited.results).toEqual([]);
  expect(await env.MEDIA.head(mediaKey(file))).toBeNull();
  for (const uuid of [id, idle.id]) {
    const rows = await runInDurableObject(env.CONNECTION.getByName(uuid), (_object, { storage }) => [
      ...storage.sql.exec("SELECT uuid FROM removal"),
      ...storage.sql.exec("SELECT record FROM identity"),
      ...storage.sql.exec("SELECT message_id FROM messages"),
    ]);
    expect(rows).toEqual([]);
  }
  await vi.waitFor(async () => {
    const mails = (await listMail(env.DB)).filter(({ to }) => to === person.who.user.email);
    expect(mails.map(({ subject }) => subject)).toEqual(["Conta apagada / Account deleted"]);
  });
  await vi.waitFor(async () => {
    const own = await runInDurableObject(guardOf(person), (_object, { storage }) => [
      ...storage.sql.exec("SELECT * FROM removal"),
      ...storage.sql.exec("SELECT * FROM replay"),
      ...storage.sql.exec("SELECT * FROM repeated_read"),
    ]);
    expect(own).toEqual([]);
  });
  expect((await other.call("GET", `/instances/${theirs.id}`)).status).toBe(200);
});

it("an account deletion completes after a crash, and by the watchdog if its alarm was lost", async () => {
  const person = await holder();
  mailsKept();
  const { id } = await instanceOf(person.call);
  const guard = guardOf(person);
  // Mimics a crash right after the removal was recorded.
  await runInDurableObject(guard, (_object, { storage }) => {
    storage.sql.exec("INSERT INTO removal VALUES (1, ?, ?)", person.who.user.id, person.who.user.email);
  });
  await runInDurableObject(guard, (_object, state) => state.abort(CRASH)).catch(() => undefined);
  await env.DB.prepare("UPDATE user SET status = 'removed', updated_at = 0 WHERE id = ?").bind(person.who.user.id).run();
  mailsKept();
  await runWatchdog({ ...env, BRIDGE_POOL: { getByName: () => ({ keepBridges: async () => undefined }) } } as unknown as Env, Date.now());
  await done(person);
  expect(await everythingInD1()).not.toContain(id);
});

describe("the email about a deletion, while the email service is down", () => {
  /** Rows of the guard that name the holder or their address. */
  const kept = ({ who }: Holder) =>
    runInDurableObject(env.ACCOUNT_GUARD.getByName(who.user.id), (_object, { storage: { sql } }) => {
      const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf*'").toArray();
      return tables.flatMap(({ name }) => {
        const text = JSON.stringify(sql.exec(`SELECT * FROM ${name}`).toArray());
        return text.includes(who.user.id) || text.includes(who.user.email) ? [name] : [];
      });
    });
  const removedWhileDown = async () => {
    const person = await holder();
    const [mails, state] = [[] as string[], { down: true, attempts: 0 }];
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    vi.spyOn(env.MAIL, "send").mockImplementation(async (mail) => {
      const { to, subject } = mail as unknown as { to: string; subject: string };
      if (to !== person.who.user.email) return { messageId: "other" };
      state.attempts += 1;
      if (state.down) throw new Error(`connect ECONNREFUSED for <${to}>`);
      mails.push(subject);
      return { messageId: "sent" };
    });
    expect((await removal(person)).status).toBe(202);
    await done(person);
    return { person, mails, state };
  };
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is sent exactly once after the service recovers, even if the guard was evicted in between", async () => {
    const { person, mails, state } = await removedWhileDown();
    await ownerWaits(person.who.user.id, HOUR_MS);
    expect([mails, await kept(person)]).toEqual([[], ["owed_mail"]]);
    await evict(guardOf(person));
    state.down = false;
    await ownerWaits(person.who.user.id, DAY_MS);
    expect([mails, await kept(person)]).toEqual([["Conta apagada / Account deleted"], []]);
  });

  it("is dropped after a few hours, together with its address", async () => {
    const { person, mails, state } = await removedWhileDown();
    const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await ownerWaits(person.who.user.id, 8 * HOUR_MS);
    const logged = lines.mock.calls.flat().join("\n");
    lines.mockRestore();
    expect([mails, state.attempts, await kept(person)]).toEqual([[], 5, []]);
    expect([logged.includes('"account.mail_failed"'), logged.includes(person.who.user.email)]).toEqual([true, false]);
    state.down = false;
    await ownerWaits(person.who.user.id, DAY_MS);
    expect(mails).toEqual([]);
  });
});

it("an account deletion removes the verification data of its own address, but not of one that contains it", async () => {
  const { who } = await holder();
  const { id: userId, email } = who.user;
  const [own, others] = [crypto.randomUUID(), crypto.randomUUID()];
  const store = (id: string, identifier: string, value: string) =>
    env.DB.prepare("INSERT INTO verification (id, identifier, value, expires_at, created_at, updated_at) VALUES (?, ?, ?, 0, 0, 0)")
      .bind(id, identifier, value)
      .run();
  await store(`${own}1`, "hashed", userId);
  await store(`${own}2`, email, "hashed");
  await store(`${own}3`, "hashed", email);
  await store(`${others}1`, `x${email}`, "hashed");
  await store(`${others}2`, "hashed", `x${email}`);
  await closeAccount(env.DB, { userId, email }, Date.now());
  const left = await env.DB.prepare("SELECT id FROM verification WHERE id LIKE ?1 || '_' OR id LIKE ?2 || '_' ORDER BY id")
    .bind(own, others)
    .all();
  expect(left.results).toEqual([{ id: `${others}1` }, { id: `${others}2` }]);
});

it("an account deletion reaches all numbers before the response, however many, even if one object fails", async () => {
  const person = await holder();
  mailsKept();
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 505)
     INSERT INTO connection (uuid, owner_id, name, kind, metadata, settings, created_at, updated_at)
     SELECT ?1 || i, ?1, 'Loja', 'session', '{}', '{}', 0, 0 FROM n`,
  )
    .bind(person.who.user.id)
    .run();
  const [failing, told] = [`${person.who.user.id}7`, new Set<string>()];
  let fails = true;
  const remove = async (uuid: string) => {
    if (fails && uuid === failing) throw new Error("away");
    told.add(uuid);
  };
  await runInDurableObject(guardOf(person), (object) => {
    const bindings = object as unknown as { env: Env };
    const CONNECTION = { getByName: (uuid: string) => ({ remove: () => remove(uuid) }) } as unknown as Env["CONNECTION"];
    bindings.env = { ...bindings.env, CONNECTION };
  });
  expect((await removal(person)).status).toBe(202);
  expect([told.size, told.has(failing)]).toEqual([504, false]);
  fails = false;
  await vi.waitFor(
    async () => {
      await ringAlarm(guardOf(person));
      expect(told.has(failing)).toBe(true);
    },
    { timeout: 60_000, interval: 100 },
  );
  await env.DB.prepare("DELETE FROM connection WHERE owner_id = ?").bind(person.who.user.id).run();
  await done(person);
});

it("an account deletion frees Cloud API numbers when the account closes, not when their objects are removed", async () => {
  const { who } = await holder();
  const { id: userId, email } = who.user;
  const uuid = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO connection (uuid, owner_id, name, kind, metadata, settings, cloud_phone_number_id, cloud_waba_id, cloud_token_last4,
       created_at, updated_at) VALUES (?1, ?2, '', 'cloud_api', '{}', '{}', ?1, '1', 'abcd', 0, 0)`,
  )
    .bind(uuid, userId)
    .run();
  expect(await closeAccount(env.DB, { userId, email }, Date.now())).toBe(true);
  const row = await env.DB.prepare("SELECT cloud_phone_number_id, cloud_waba_id, cloud_token_last4 FROM connection WHERE uuid = ?")
    .bind(uuid)
    .first();
  expect(row).toEqual({ cloud_phone_number_id: null, cloud_waba_id: null, cloud_token_last4: null });
});

it("an account deletion is accepted once the account is closed, even if its numbers cannot be read", async () => {
  const person = await holder();
  const { id } = await instanceOf(person.call);
  await runInDurableObject(guardOf(person), (object) => {
    const bindings = object as unknown as { env: Env };
    const DB = new Proxy(env.DB, {
      get(database, name) {
        if (name !== "prepare") return Reflect.get(database, name).bind(database) as unknown;
        return (query: string) => {
          if (query.startsWith("select") && query.includes('from "connection"')) throw new Error("D1 is away");
          return database.prepare(query);
        };
      },
    });
    bindings.env = { ...bindings.env, DB };
  });
  expect((await removal(person)).status).toBe(202);
  expect(codeOf(await person.call("GET", "/me"))).toEqual([401, "unauthorized"]);
  await runInDurableObject(guardOf(person), (object) => {
    (object as unknown as { env: Env }).env = bindings;
  });
  mailsKept();
  await done(person);
  expect(await everythingInD1()).not.toContain(id);
});

it("an account deletion sleeps between its rounds, however long each takes", async () => {
  const person = await holder();
  await instanceOf(person.call);
  await runInDurableObject(guardOf(person), async (object, { storage }) => {
    const guard = object as unknown as { env: Env; alarm(): Promise<void> };
    const { promise: told, resolve } = Promise.withResolvers<void>();
    const remove = () => {
      resolve();
      return new Promise<void>(() => undefined);
    };
    guard.env = { ...guard.env, CONNECTION: { getByName: () => ({ remove }) } } as unknown as Env;
    storage.sql.exec("INSERT INTO removal (one, user_id, email) VALUES (1, ?, ?)", person.who.user.id, person.who.user.email);
    await guard.alarm();
    await told;
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
    await guard.alarm();
    const next = await storage.getAlarm();
    const now = Date.now();
    vi.useRealTimers();
    await storage.deleteAlarm();
    expect(next).toBeGreaterThan(now);
  });
});

it("an account deletion is refused to the last administrator, even if the last two delete themselves at once", async () => {
  await env.DB.prepare("UPDATE user SET role = 'user'").run();
  const [one, other] = [await holder(), await holder()];
  mailsKept();
  await setRole(env.DB, one.who.user.id, "admin");
  // An invited user who has not signed up yet cannot administer anything.
  const invited = await addUnconfirmedUser(env.DB, `${crypto.randomUUID()}@example.com`, "Invited");
  await setRole(env.DB, invited?.id ?? "", "admin");
  const { id } = await instanceOf(one.call);
  expect(codeOf(await removal(one))).toEqual([409, "last_administrator"]);
  expect((await one.call("GET", `/instances/${id}`)).status).toBe(200);
  expect(await runInDurableObject(guardOf(one), (_object, { storage }) => storage.sql.exec("SELECT * FROM removal").toArray())).toEqual([]);
  await setRole(env.DB, other.who.user.id, "admin");
  const answers = await Promise.all([one, other].map((person) => removal(person)));
  expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(["202", "409"]);
  const left = await env.DB.prepare("SELECT id FROM user WHERE role = 'admin' AND status = 'active' AND email_verified = 1").all();
  expect(left.results).toHaveLength(1);
  const removed = answers[0]?.status === 202 ? one : other;
  await done(removed);
});

describe("a deletion by an administrator that is due", () => {
  const dueDeletion = async () => {
    const person = await holder();
    mailsKept();
    await deleteUserLater(bindings, person.who.user.id, Date.now());
    return { person, due: Date.now() + 30 * DAY_MS };
  };
  const statusOf = ({ who }: Holder) => env.DB.prepare("SELECT status FROM user WHERE id = ?").bind(who.user.id).first("status");
  /** `remove` notifies the account's guards. */
  const through = (remove: (guard: AccountGuardStub, closed: ClosedAccount) => Promise<boolean>) =>
    ({
      ...env,
      ACCOUNT_GUARD: { getByName: (id: string) => ({ remove: (closed: ClosedAccount) => remove(accountGuardStub(bindings, id), closed) }) },
    }) as unknown as Env;

  it("cannot be cancelled once the watchdog has started it", async () => {
    const { person, due } = await dueDeletion();
    const late: boolean[] = [];
    await removeDueAccounts(
      through(async (guard, closed) => {
        // The activation is requested in time but carried out too late.
        late.push((await activateUser(bindings, person.who.user.id, due - DAY_MS)).ok);
        return guard.remove(closed);
      }),
      due,
      10,
    );
    expect([late, await statusOf(person)]).toEqual([[false], "removed"]);
    await done(person);
  });

  it("restarts if its guard could not be notified", async () => {
    const { person, due } = await dueDeletion();
    const away = through(() => Promise.reject(new Error("away")));
    await expect(removeDueAccounts(away, due, 10)).rejects.toThrow("away");
    expect([await statusOf(person), (await activateUser(bindings, person.who.user.id, due - DAY_MS)).ok]).toEqual(["suspended", false]);
    await removeDueAccounts(bindings, due, 10);
    expect(await statusOf(person)).toBe("removed");
    await done(person);
  });
});
