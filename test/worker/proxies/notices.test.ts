// Emails about proxies: in bulk, and when interrupted (docs/operate/proxies.md, "Proxies").
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { sendProxyNotices } from "#root/src/services/proxies/notices.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { FakeBridge, pool } from "../fakes/bridge.ts";
import { holder, instanceOf } from "../support/accounts.ts";
import { admin, madeProxy, minute, type SentMail } from "./world.ts";
import { ringAlarm } from "../support/eviction.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const news = (proxy: string, user: string) =>
  env.DB.prepare("INSERT INTO proxy_notice (proxy_id, user_id, news, tries, due_at) VALUES (?, ?, 'down', 0, ?)").bind(
    proxy,
    user,
    Date.now(),
  );
const left = async (proxy: string) => env.DB.prepare("SELECT COUNT(*) AS n FROM proxy_notice WHERE proxy_id = ?").bind(proxy).first("n");

async function someoneToMail() {
  const [{ call }, owner] = [await admin(), await holder()];
  const proxy: string = (await madeProxy(call)).id;
  await instanceOf(owner.call, { proxy_id: proxy });
  await news(proxy, owner.who.user.id).run();
  return { proxy, owner: owner.who.user };
}

it("notices go to a hundred people in one invocation, and to the others by the alarm", async () => {
  const { call } = await admin();
  const proxy = (await madeProxy(call)).id;
  const people = Array.from({ length: 130 }, () => crypto.randomUUID());
  // These owners have moved their instances by now, so none gets an email; the pool processes them at the same pace.
  const user = "INSERT INTO user (id, name, email, created_at, updated_at) VALUES (?1, 'x', ?1 || '@example.com', 0, 0)";
  await env.DB.batch(people.map((id) => env.DB.prepare(user).bind(id)));
  await env.DB.batch(people.map((id) => news(proxy, id)));
  await pool().list();
  const bridge = await FakeBridge.dial();
  await minute([bridge]);
  await vi.waitFor(async () => expect(await left(proxy)).toBeLessThanOrEqual(30));
  const due = () => runInDurableObject(pool(), (_object, { storage }) => storage.getAlarm());
  await vi.waitFor(async () => expect(await due()).toBeLessThanOrEqual(Date.now()));
  expect(await left(proxy)).toBe(30);
  // The remaining owners survive the pool's eviction.
  await evictDurableObject(pool());
  await pool().list();
  expect(await due()).toBeLessThanOrEqual(Date.now());
  await ringAlarm(pool());
  await vi.waitFor(async () => expect(await left(proxy)).toBe(0));
  await bridge.left();
  await runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("DELETE FROM bridge; DELETE FROM proxy_round"));
  await evictDurableObject(pool());
});

it("notices with an unknown result are repeated after growing pauses, at most four times", async () => {
  const { proxy, owner } = await someoneToMail();
  const mails: SentMail[] = [];
  // The email is sent, then nothing happens until the test ends, as if the object had died.
  const end = Promise.withResolvers<void>();
  let sent = Promise.withResolvers<false>();
  const send = async (mail: SentMail) => {
    mails.push(mail);
    sent.resolve(false);
    await end.promise;
  };
  const cut = { ...(env as Env), MAIL: { send } } as unknown as Env;
  const begun: number[] = [];
  const runs: Promise<boolean>[] = [];
  for (let minutes = 0; minutes < 180; minutes += 1) {
    sent = Promise.withResolvers();
    const run = sendProxyNotices(cut, Date.now(), 1_000);
    runs.push(run);
    if (!(await Promise.race([run.then(() => true), sent.promise]))) begun.push(minutes);
    vi.setSystemTime(Date.now() + MINUTE_MS / 2);
    sent = Promise.withResolvers();
    const soon = sendProxyNotices(cut, Date.now(), 1_000);
    runs.push(soon);
    expect(await Promise.race([soon.then(() => true), sent.promise]), "no email is repeated half a minute later").toBe(true);
    vi.setSystemTime(Date.now() + MINUTE_MS / 2);
  }
  expect(begun).toEqual([0, 1, 6, 36, 96]);
  expect(mails.filter(({ to }) => to === owner.email)).toHaveLength(5);
  expect(await left(proxy)).toBe(0);
  end.resolve();
  await Promise.all(runs);
});

it("a notice that changes while it is being sent is sent again with the new content", async () => {
  const { proxy, owner } = await someoneToMail();
  const sent: string[] = [];
  const newer = async ({ to, subject }: SentMail) => {
    if (to !== owner.email) return;
    sent.push(subject);
    if (sent.length === 1)
      await env.DB.prepare("UPDATE proxy_notice SET news = 'back', tries = 0, due_at = ? WHERE proxy_id = ?").bind(Date.now(), proxy).run();
  };
  const withMail = { ...(env as Env), MAIL: { send: newer } } as unknown as Env;
  for (let n = 0; n < 3; n += 1) await sendProxyNotices(withMail, Date.now(), 1_000);
  expect(sent.map((subject) => subject.includes("Proxy de volta"))).toEqual([false, true]);
  expect(await left(proxy)).toBe(0);
});

it("notices go out when a clock that was a day ahead is right again", async () => {
  const now = Date.now();
  vi.setSystemTime(now + DAY_MS);
  const { proxy, owner } = await someoneToMail();
  vi.setSystemTime(now);
  const sent: string[] = [];
  const withMail = { ...(env as Env), MAIL: { send: async ({ to }: SentMail) => void sent.push(to) } } as unknown as Env;
  await sendProxyNotices(withMail, now, 1_000);
  expect(sent).toEqual([owner.email]);
  expect(await left(proxy)).toBe(0);
});
