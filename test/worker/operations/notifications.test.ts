// Push notifications: encrypted for one browser, and only while its session may see the number.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fromBase64, toBase64Url } from "@gateway/domain/base64.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { currentServerKey, encrypted, serverKey } from "#root/src/services/push/web-push.ts";
import { suspendUser } from "#root/src/services/users/suspend.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { theirs } from "../fakes/messages.ts";
import { PushService } from "../fakes/push-service.ts";
import { type Browser, browser } from "../support/browser.ts";
import { gateway } from "../support/gateway.ts";
import { type Someone, someone } from "../support/people.ts";

const PASSWORD = "correct horse battery";
/** A push service that has not responded by then is asked again later. */
const LONGEST_PUSH_MS = 10_000;
const UNHURRIED = { timeout: 60_000 };

afterEach(async () => {
  vi.restoreAllMocks();
  await allEnded();
});

type World = { owner: Someone; push: PushService; connection: TestConnection; session: FakeSession; path: string };

async function world(): Promise<World> {
  const push = new PushService();
  const owner = await someone();
  const connection = await TestConnection.create({ owner_id: owner.user.id });
  const bridge = await connection.bridge();
  const caller = { kind: "account", subject: owner.user.id, role: "owner" } as const;
  await connection.ask("instance.connect", { force_new_pairing: false }, { caller });
  const session = await bridge.open(connection.uuid);
  await session.commit([event.open()]);
  return { owner, push, connection, session, path: `/api/dashboard/connections/${connection.record.id}/notifications` };
}

async function signedIn(who: Someone): Promise<Browser> {
  await setPassword(env as Env, who.user.id, PASSWORD);
  const go = browser({ CONNECTION: env.CONNECTION });
  expect((await go("POST", "/api/auth/sign-in/email", { email: who.user.email, password: PASSWORD })).status).toBe(200);
  return go;
}

const dataOf = async (answer: Promise<Response>): Promise<any> => ((await (await answer).json()) as { data: unknown }).data;

/** Subscribes as the page does when the user switches notifications on. */
async function subscribed({ push, path }: World, go: Browser, showsText = false, language = "pt") {
  const { key_id, public_key } = await dataOf(go("GET", "/api/dashboard/push"));
  const device = push.subscribe(public_key);
  expect((await go("PUT", "/api/dashboard/push", { ...device.keys, key_id, language })).status).toBe(200);
  expect(await dataOf(go("PUT", path, { shows_text: showsText }))).toEqual({ shows_text: showsText });
  return device;
}

/** Waits until nothing is due any more. */
async function quiet({ connection }: World): Promise<void> {
  await vi.waitFor(async () => expect(await connection.stored.dueNotifications()).toBe(0), UNHURRIED);
}

it("encryption matches the example of RFC 8291, appendix A", () => {
  const keys = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  const given = { salt: fromBase64("DGv6ra1nlYgDCS1FRnbzlw"), privateKey: fromBase64("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw") };
  expect(toBase64Url(encrypted("When I grow up, I want to be a watermelon", keys, given))).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

it("the server key changes every 30 days, and the two before it stay accepted", () => {
  const secrets = settingsOf(env as Env).STATE_SECRET;
  const now = Date.now();
  const key = currentServerKey(secrets, now);
  expect(currentServerKey(secrets, now + 30 * DAY_MS).id).not.toBe(key.id);
  expect(toBase64Url(serverKey(secrets, key.id, now + 60 * DAY_MS)?.publicKey ?? new Uint8Array())).toBe(toBase64Url(key.publicKey));
  expect(serverKey(secrets, key.id, now + 90 * DAY_MS)).toBeNull();
  // The entry of STATE_SECRET was removed.
  expect(serverKey(new Map([[200, new Uint8Array(32)]]), key.id, now)).toBeNull();
});

describe("a message that arrives", () => {
  it("notifies with the sender's name, and with its text only if the user chose that", async () => {
    const all = await world();
    const go = await signedIn(all.owner);
    const hidden = await subscribed(all, go);
    await all.session.commit([theirs("m1")]);
    await vi.waitFor(() => expect(all.push.received).toHaveLength(1), UNHURRIED);
    const chat = `/connections/${all.connection.record.id}/chats/${OTHER}%40c.us`;
    expect(all.push.received[0]).toMatchObject({
      endpoint: hidden.endpoint,
      shown: { title: "Bia", body: "Nova mensagem", tag: chat, path: chat },
    });
    expect(Object.fromEntries(all.push.received[0]?.headers ?? [])).toMatchObject({ ttl: "86400", urgency: "high" });
    await quiet(all);

    expect(await dataOf(go("PUT", all.path, { shows_text: true }))).toEqual({ shows_text: true });
    await all.session.commit([theirs("m2")]);
    await vi.waitFor(() => expect(all.push.received).toHaveLength(2), UNHURRIED);
    expect(all.push.received[1]?.shown).toMatchObject({ title: "Bia", body: "theirs" });
    await quiet(all);

    expect(await dataOf(go("PUT", all.path, { shows_text: null }))).toEqual({ shows_text: null });
    await all.session.commit([theirs("m3")]);
    expect(await all.connection.stored.dueNotifications()).toBe(0);
  });

  it("shows the beginning of a long text, in whole characters", async () => {
    const all = await world();
    await subscribed(all, await signedIn(all.owner), true);
    await all.session.commit([theirs("m1", { text: `!${"😀".repeat(300)}` })]);
    await vi.waitFor(() => expect(all.push.received).toHaveLength(1), UNHURRIED);
    const body = all.push.received[0]?.shown.body ?? "";
    expect([body.isWellFormed(), [...body].length]).toEqual([true, 200]);
    await quiet(all);
  });

  it("notifies a minute after an attempt ended with an exception", async () => {
    const all = await world();
    await subscribed(all, await signedIn(all.owner));
    vi.useFakeTimers({ toFake: ["Date"] });
    const logged = vi.spyOn(console, "log");
    await all.connection.breakNext("UPDATE notification");
    await all.session.commit([theirs("m1")]);
    await vi.waitFor(() => expect(logged.mock.calls.flat().join()).toContain("notification.failed"), UNHURRIED);
    await all.session.commit([theirs("m2", { chat_id: "5511900000004@c.us" })]);
    await all.connection.alarm();
    expect(all.push.asked).toBe(0);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    await all.connection.alarm();
    await vi.waitFor(() => expect(all.push.received).toHaveLength(2), UNHURRIED);
    await quiet(all);
  });

  it("sets no alarm for another message before the running push can have ended", async () => {
    const all = await world();
    await subscribed(all, await signedIn(all.owner));
    vi.useFakeTimers({ toFake: ["Date"] });
    const answered = Promise.withResolvers<void>();
    all.push.held = answered.promise;
    await all.session.commit([theirs("m1")]);
    await vi.waitFor(() => expect(all.push.asked).toBe(1), UNHURRIED);
    await all.session.commit([theirs("m2")]);
    const alarmAt = await runInDurableObject(all.connection.stub, (_object, { storage }) => storage.getAlarm());
    expect(alarmAt ?? 0).toBeGreaterThan(Date.now() + LONGEST_PUSH_MS);
    answered.resolve();
    await vi.waitFor(() => expect(all.push.received).toHaveLength(2), UNHURRIED);
    await quiet(all);
  });

  it("notifies in the subscriber's language, once for several messages of a chat, and not of muted or archived chats", async () => {
    const all = await world();
    await subscribed(all, await signedIn(all.owner), false, "en");
    await all.session.commit([
      { type: "chat.updated", chat_id: `${OTHER}@c.us`, muted_until: Math.floor(Date.now() / 1000) + 3_600 },
      { type: "chat.updated", chat_id: "5511900000003@c.us", archived: true },
      { type: "chat.updated", chat_id: "5511900000005@c.us", muted_until: -1 },
    ]);
    const quietChats = ["5511900000002@c.us", "5511900000003@c.us", "5511900000005@c.us"];
    await all.session.commit(quietChats.map((chat_id, index) => theirs(`q${index}`, { chat_id })));
    await all.session.commit([theirs("m3", { chat_id: "5511900000004@c.us" }), theirs("m4", { chat_id: "5511900000004@c.us" })]);
    await quiet(all);
    expect(all.push.received.map(({ shown }) => [shown.body, shown.tag])).toEqual([
      ["New message", `/connections/${all.connection.record.id}/chats/5511900000004%40c.us`],
    ]);
  });

  it("notifies after the object was evicted, and repeats what the push service could not take", async () => {
    const all = await world();
    await subscribed(all, await signedIn(all.owner));
    vi.useFakeTimers({ toFake: ["Date"] });
    all.push.status = 503;
    await all.session.commit([theirs("m1")]);
    await vi.waitFor(async () => {
      expect(await all.connection.stored.nextNotificationAt()).toBe(Date.now() + 15_000);
    }, UNHURRIED);
    all.push.status = 201;
    await all.connection.evict();
    vi.setSystemTime(Date.now() + MINUTE_MS);
    await all.connection.alarm();
    await vi.waitFor(() => expect(all.push.received).toHaveLength(1), UNHURRIED);
    await quiet(all);
    expect(all.push.asked).toBe(2);
  });
});

describe("a user is not notified", () => {
  const NOTHING = { notified: 0, received: [] };
  const afterMessage = async (all: World) => {
    await all.session.commit([theirs(crypto.randomUUID())]);
    await quiet(all);
    return { notified: await all.connection.stored.notifiedBrowsers(), received: all.push.received };
  };

  it("after their session was ended elsewhere", async () => {
    const all = await world();
    await subscribed(all, await signedIn(all.owner));
    const other = await signedIn(all.owner);
    await other("DELETE", "/api/dashboard/sessions");
    expect(await afterMessage(all)).toEqual(NOTHING);
  });

  it("after their session has expired", async () => {
    const all = await world();
    await subscribed(all, await signedIn(all.owner));
    await env.DB.prepare("UPDATE session SET expires_at = ? WHERE user_id = ?")
      .bind(Date.now() - 1, all.owner.user.id)
      .run();
    expect(await afterMessage(all)).toEqual(NOTHING);
  });

  it("while their account is suspended, or once it is removed", async () => {
    const all = await world();
    const guest = await someone(null);
    await env.DB.prepare("INSERT INTO share (connection_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 0)")
      .bind(all.connection.record.id, guest.user.id)
      .run();
    const go = await signedIn(guest);
    const { endpoint } = await subscribed(all, go);
    await suspendUser(env as Env, guest.user.id);
    expect(await afterMessage(all)).toEqual(NOTHING);
    await env.DB.prepare("DELETE FROM user WHERE id = ?").bind(guest.user.id).run();
    expect(await env.DB.prepare("SELECT count(*) AS n FROM push_subscription WHERE endpoint = ?").bind(endpoint).first("n")).toBe(0);
  });

  it("after they left the number, or if they were never let in", async () => {
    const all = await world();
    const guest = await someone(null);
    const go = await signedIn(guest);
    expect((await go("PUT", all.path, { shows_text: true })).status).toBe(404);
    await env.DB.prepare("INSERT INTO share (connection_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 0)")
      .bind(all.connection.record.id, guest.user.id)
      .run();
    await subscribed(all, go, true);
    expect((await go("DELETE", all.path.replace("/notifications", "/shares/mine"))).status).toBe(200);
    expect(await afterMessage(all)).toEqual(NOTHING);
  });

  it.each([404, 410])("after their browser unsubscribed: the push service answers %i", async (status) => {
    const all = await world();
    const go = await signedIn(all.owner);
    await subscribed(all, go);
    all.push.status = status;
    expect(await afterMessage(all)).toEqual(NOTHING);
    expect(await dataOf(go("GET", "/api/dashboard/push"))).toMatchObject({ stored_key_id: null });
  });
});

it("a browser that subscribes anew is notified, although a push to its earlier subscription is refused", async () => {
  const all = await world();
  const go = await signedIn(all.owner);
  await subscribed(all, go);
  vi.useFakeTimers({ toFake: ["Date"] });
  const answered = Promise.withResolvers<void>();
  [all.push.status, all.push.held] = [410, answered.promise];
  await all.session.commit([theirs("m1")]);
  await vi.waitFor(() => expect(all.push.asked).toBe(1), UNHURRIED);
  const { key_id, public_key } = await dataOf(go("GET", "/api/dashboard/push"));
  const device = all.push.subscribe(public_key);
  expect((await go("PUT", "/api/dashboard/push", { ...device.keys, key_id, language: "pt" })).status).toBe(200);
  answered.resolve();
  await vi.waitFor(async () => {
    expect(await all.connection.stored.nextNotificationAt()).toBe(Date.now() + 15_000);
  }, UNHURRIED);
  all.push.status = 201;
  vi.setSystemTime(Date.now() + MINUTE_MS);
  await all.connection.alarm();
  await quiet(all);
  expect(all.push.received.map(({ endpoint }) => endpoint)).toEqual([device.endpoint]);
});

it("the 51st browser takes the place of the earliest one", async () => {
  const connection = await TestConnection.create();
  // Each session sorts before the earlier ones.
  const sessions = Array.from({ length: 51 }, (_, index) => `session-${99 - index}`);
  for (const session of sessions.slice(0, 50)) await connection.ask("notifications.set", { session, shows_text: false });
  await connection.evict();
  await connection.ask("notifications.set", { session: "session-99", shows_text: true });
  await connection.ask("notifications.set", { session: "session-49", shows_text: false });
  const shown = await Promise.all(sessions.map((session) => connection.ask("notifications.get", { session })));
  const crowdedOut = sessions.filter((_, index) => shown[index]?.ok && shown[index].value.shows_text === null);
  expect(crowdedOut).toEqual(["session-98"]);
});

it("a browser belongs to the session that subscribed last", async () => {
  const all = await world();
  const [first, second] = [await signedIn(all.owner), await signedIn(all.owner)];
  const device = await subscribed(all, first);
  const { key_id } = await dataOf(second("GET", "/api/dashboard/push"));
  expect((await second("PUT", "/api/dashboard/push", { ...device.keys, key_id, language: "pt" })).status).toBe(200);
  expect(await dataOf(first("GET", "/api/dashboard/push"))).toMatchObject({ stored_key_id: null });
  expect(await dataOf(second("GET", "/api/dashboard/push"))).toMatchObject({ stored_key_id: key_id });
});

it("a subscription is refused without a session, for a private address, and with invalid keys", async () => {
  const all = await world();
  const go = await signedIn(all.owner);
  const { key_id, public_key } = await dataOf(go("GET", "/api/dashboard/push"));
  const body = { ...all.push.subscribe(public_key).keys, key_id, language: "pt" };
  const codeOf = async (change: object) => {
    const answer = await go("PUT", "/api/dashboard/push", { ...body, ...change });
    const { error } = (await answer.json()) as { error: { code: string; details?: { field: string }[] } };
    return [answer.status, error.code, error.details?.[0]?.field];
  };
  expect(await codeOf({ endpoint: "https://10.0.0.1/x" })).toEqual([422, "url_not_allowed", undefined]);
  expect(await codeOf({ endpoint: "http://push.example.net/x" })).toEqual([422, "url_not_allowed", undefined]);
  expect(await codeOf({ p256dh: "A".repeat(87) })).toEqual([400, "validation_error", "p256dh"]);
  expect(await codeOf({ key_id: "9.1" })).toEqual([400, "validation_error", "key_id"]);
  expect((await gateway()("/api/dashboard/push", { headers: all.owner.headers })).status).toBe(403);
});
