// Notices to owners: combined, at most one email an hour, after identity emails, and paused while the email service's quota is exhausted.
import { env } from "cloudflare:workers";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OwnerNotices } from "#root/durable-objects/account-guard/owner-notices.ts";
import { pauseOwnerMails } from "#root/src/services/identity/address-guards.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { addOwnerNotice, sendNoticeTo } from "#root/src/services/mail/owner-notices.ts";
import { sendPasswordLink } from "#root/src/services/identity/password-links.ts";
import type { Env } from "#root/src/env.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { holder } from "../support/accounts.ts";
import { failEverywhere } from "../support/failing-database.ts";
import { gatheredFor, ownerMailed, ownerWaits } from "../support/owner-mail.ts";
import { someone } from "../support/people.ts";

type Mail = { to: string; subject: string; text: string };
let mails: Mail[];
/** Tests are days apart, because they share one email service's counts. */
let today = Date.UTC(2032, 0, 1);
let refusal: Error | null;

beforeEach(() => {
  today += 3 * DAY_MS;
  vi.useFakeTimers({ now: today, toFake: ["Date"] });
  [mails, refusal] = [[], null];
  vi.spyOn(env.MAIL, "send").mockImplementation(async (mail) => {
    if (refusal !== null) throw refusal;
    mails.push(mail as unknown as Mail);
    return { messageId: "sent" } as never;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const down = (name: string) => ({ kind: "connection_down", subject: `Down: ${name}`, text: `${name} is down.` }) as const;
const to = (email: string) => mails.filter((mail) => mail.to === email);

it("an outage of an owner's numbers causes one email; later notices go out together an hour later", async () => {
  const { user } = await someone();
  for (let n = 0; n < 20; n += 1) await addOwnerNotice(env as Env, user.id, down(`Loja ${n}`));
  expect(to(user.email)).toEqual([]);
  await ownerMailed(user.id);
  expect(to(user.email)).toMatchObject([{ subject: expect.stringContaining("20 notices") as string }]);
  expect(to(user.email)[0]?.text).toContain("- Down: Loja 19");
  await addOwnerNotice(env as Env, user.id, down("Loja 20"));
  await ownerWaits(user.id, 50 * MINUTE_MS);
  expect(to(user.email)).toHaveLength(1);
  await ownerWaits(user.id, 15 * MINUTE_MS);
  expect(to(user.email).slice(1)).toMatchObject([{ subject: "Down: Loja 20", text: "Loja 20 is down." }]);
  expect(await gatheredFor(user.id)).toEqual([]);
});

it("no notice is lost when an email fails and D1 is unavailable for an hour", async () => {
  const { user } = await someone();
  await addOwnerNotice(env as Env, user.id, down("Loja"));
  refusal = new Error("E_SENDER_NOT_VERIFIED");
  await ownerWaits(user.id, 7 * MINUTE_MS);
  refusal = null;
  const outage = failEverywhere(() => ({ message: "Network connection lost." }));
  await ownerWaits(user.id, 10 * MINUTE_MS).finally(outage.end);
  expect([to(user.email), await gatheredFor(user.id)]).toEqual([[], [down("Loja")]]);
  await ownerWaits(user.id, HOUR_MS + MINUTE_MS);
  expect(to(user.email)).toHaveLength(1);
});

it("an email whose attempt cannot be stored is sent once the disk has room again", async () => {
  const { user } = await someone();
  await addOwnerNotice(env as Env, user.id, down("Loja"));
  const guard = env.ACCOUNT_GUARD.getByName(user.id);
  const inDatabase = (sql: string) => runInDurableObject(guard, (_object, { storage }) => void storage.sql.exec(sql));
  await inDatabase("CREATE TRIGGER full BEFORE UPDATE ON owner_mail BEGIN SELECT raise(FAIL, 'database or disk is full'); END");
  vi.setSystemTime(Date.now() + 6 * MINUTE_MS);
  for (let n = 0; n < 8; n += 1) await runDurableObjectAlarm(guard);
  expect(to(user.email)).toEqual([]);
  await inDatabase("DROP TRIGGER full");
  await ownerWaits(user.id, 2 * MINUTE_MS);
  expect(to(user.email)).toMatchObject([{ subject: "Down: Loja" }]);
});

it("a notice that arrives before the last try of earlier ones gets tries of its own", async () => {
  const { user } = await someone();
  refusal = new Error("connect ECONNREFUSED");
  await addOwnerNotice(env as Env, user.id, down("Loja 1"));
  await ownerWaits(user.id, 7 * HOUR_MS);
  await addOwnerNotice(env as Env, user.id, down("Loja 2"));
  await ownerWaits(user.id, HOUR_MS);
  refusal = null;
  await ownerWaits(user.id, 6 * HOUR_MS);
  expect(to(user.email)[0]?.text).toContain("Loja 2 is down.");
});

it("a notice that arrives while a late try of earlier ones finds emails paused keeps its tries", async () => {
  const { user } = await someone();
  await pauseOwnerMails(env as Env);
  const stored = await runInDurableObject(env.ACCOUNT_GUARD.getByName(user.id), async (_object, { storage: { sql } }) => {
    const ended = Promise.withResolvers<void>();
    const addressGuards = {
      idFromName: (name: string) => env.ADDRESS_GUARD.idFromName(name),
      get: (id: DurableObjectId) => {
        notices.add(user.id, down("Loja 2"), Date.now());
        return env.ADDRESS_GUARD.get(id);
      },
    };
    const notices = new OwnerNotices({ ...env, ADDRESS_GUARD: addressGuards } as unknown as Env, sql, ended.resolve);
    notices.add(user.id, down("Loja 1"), Date.now());
    sql.exec("UPDATE owner_mail SET tries = 4");
    notices.run(notices.nextDue() ?? 0);
    await ended.promise;
    return sql.exec("SELECT tries FROM owner_mail").one();
  });
  expect(stored).toEqual({ tries: 3 });
});

it("in a fleet outage, 30 owners are emailed a minute, and a sign-in link at once", async () => {
  const owners = await Promise.all(Array.from({ length: 33 }, () => someone()));
  const { user: newcomer } = await someone();
  for (const { user } of owners) await addOwnerNotice(env as Env, user.id, down("Loja"));
  // All are due together, and each guard counts at the shared email service.
  const due = Date.now() + 5 * MINUTE_MS;
  for (const { user } of owners) {
    vi.setSystemTime(due - 1);
    await ownerWaits(user.id, 1);
  }
  expect(mails).toHaveLength(30);
  await sendPasswordLink(env as Env, newcomer.email, null, Date.now());
  expect(to(newcomer.email)).toHaveLength(1);
  for (const { user } of owners.slice(30)) await ownerWaits(user.id, 2 * MINUTE_MS);
  expect(mails).toHaveLength(34);
});

it("a used-up quota pauses notices for an hour, not sign-in links, and operators learn of it", async () => {
  const { call, who } = await holder();
  await setRole(env.DB, who.user.id, "admin");
  const [{ user: owner }, { user: newcomer }] = [await someone(), await someone()];
  const alarms = async () =>
    ((await call("GET", "/admin/fleet")).body.data.alarms as { kind: string }[]).filter(({ kind }) => kind === "mail");
  expect(await alarms()).toEqual([]);
  const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
  refusal = Object.assign(new Error("daily limit"), { code: "E_DAILY_LIMIT_EXCEEDED" });
  for (let n = 0; n < 2; n += 1)
    await expect(sendPasswordLink(env as Env, newcomer.email, null, Date.now())).rejects.toThrow("daily limit");
  expect(lines.mock.calls.flat().filter((line) => String(line).includes('"mail.quota_used_up"'))).toHaveLength(1);
  lines.mockRestore();
  expect(await alarms()).toMatchObject([{ kind: "mail", code: "quota" }]);
  refusal = null;
  await addOwnerNotice(env as Env, owner.id, down("Loja"));
  await ownerWaits(owner.id, 50 * MINUTE_MS);
  expect(to(owner.email)).toEqual([]);
  await sendPasswordLink(env as Env, newcomer.email, null, Date.now());
  expect(to(newcomer.email)).toHaveLength(1);
  await ownerWaits(owner.id, 2 * HOUR_MS);
  expect(to(owner.email)).toHaveLength(1);
  expect(await alarms()).toEqual([]);
});

it("a password link that was refused for an hour is sent once the email service works again, and only once", async () => {
  const { user } = await someone();
  refusal = new Error("connect ECONNREFUSED");
  await expect(sendPasswordLink(env as Env, user.email, null, Date.now())).rejects.toThrow("ECONNREFUSED");
  await ownerWaits(user.id, HOUR_MS);
  refusal = null;
  await ownerWaits(user.id, DAY_MS);
  expect(to(user.email)).toMatchObject([{ subject: expect.stringContaining("Choose a new password") as string }]);
  expect(to(user.email)[0]?.text).toContain("/set-password");
});

it("a refused password link is not sent later if the person asks for another, or nobody waits any more", async () => {
  const [{ user: impatient }, { user: gone }] = [await someone(), await someone()];
  refusal = new Error("connect ECONNREFUSED");
  for (const { email } of [impatient, gone])
    await expect(sendPasswordLink(env as Env, email, null, Date.now())).rejects.toThrow("ECONNREFUSED");
  vi.setSystemTime(Date.now() + 10_000);
  refusal = null;
  await sendPasswordLink(env as Env, impatient.email, null, Date.now());
  await ownerWaits(impatient.id, DAY_MS);
  expect(to(impatient.email)).toHaveLength(1);
  refusal = new Error("connect ECONNREFUSED");
  await ownerWaits(gone.id, 3 * HOUR_MS);
  refusal = null;
  await ownerWaits(gone.id, DAY_MS);
  expect(to(gone.email)).toEqual([]);
});

it("a refused notice about the account itself is sent later, as notices to owners are", async () => {
  const { user } = await someone();
  refusal = new Error("connect ECONNREFUSED");
  const sending = sendNoticeTo(env as Env, user.id, { kind: "password_changed", to: user.email, subject: "Changed", text: "It was." });
  await expect(sending).rejects.toThrow("ECONNREFUSED");
  refusal = null;
  await ownerMailed(user.id);
  expect(to(user.email)).toMatchObject([{ subject: "Changed", text: "It was." }]);
});
