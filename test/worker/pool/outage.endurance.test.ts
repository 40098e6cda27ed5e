// Six hours without the network, from the connections' events to the emails: each owner gets one.
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { FakeBridge, type FakeSession, pool } from "../fakes/bridge.ts";
import { gatheredFor, ownerMailed, ownerWaits } from "../support/owner-mail.ts";

const WAIT = { timeout: 60_000, interval: 20 };
const MINUTE_MS = 60_000;
const SIX_HOURS_MS = 6 * 60 * MINUTE_MS;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2031, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  await runInDurableObject(pool(), (_object, { storage }) =>
    storage.sql.exec(
      "DELETE FROM bridge; DELETE FROM placement; DELETE FROM proxy_round; DELETE FROM fleet_alarm; DELETE FROM fleet_time; DELETE FROM fleet_mail; DELETE FROM away_number; DELETE FROM away_owner",
    ),
  );
  await evictDurableObject(pool());
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function owner(): Promise<{ id: string; email: string }> {
  const id = crypto.randomUUID();
  const email = `${id}@example.com`;
  await env.DB.prepare(
    "INSERT INTO user (id, email, name, email_verified, role, status, created_at, updated_at) VALUES (?, ?, 'A', 1, 'user', 'active', 0, 0)",
  )
    .bind(id, email)
    .run();
  return { id, email };
}

/** Number of the pool's unsent emails. */
const unsent = (): Promise<number> =>
  runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("SELECT id FROM fleet_mail WHERE tries > 0").toArray().length);

it("six hours without the network cause one email to each owner, which lists all of their numbers", { timeout: 300_000 }, async () => {
  const mails: { to: string; subject: string; text: string }[] = [];
  vi.spyOn(env.MAIL, "send").mockImplementation(async (mail) => {
    mails.push(mail as never);
    return { messageId: "sent" } as never;
  });
  const [many, two] = [await owner(), await owner()];
  const bridge = await FakeBridge.dial({ capacity: 50 });
  await pool().list();
  const held: { connection: TestConnection; session: FakeSession; name: string; email: string }[] = [];
  for (let n = 0; n < 12; n += 1) {
    const { id, email } = n < 10 ? many : two;
    const name = `Loja ${n}`;
    const connection = await TestConnection.create({ owner_id: id, name });
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open()], [["creds|me", "1"]]);
    held.push({ connection, session, name, email });
  }

  const passes = async (ms: number, away: number): Promise<void> => {
    for (let minute = 1; minute <= ms / MINUTE_MS; minute += 1) {
      vi.setSystemTime(Date.now() + MINUTE_MS);
      bridge.say({ type: "load", sessions: held.length, rss_mb: 1, cpu: 0, away, troubles: [] });
      await pool().fleet();
      // Waits for emails being sent, because moving the clock would expire their one-minute lease.
      await vi.waitFor(async () => expect(await unsent()).toBe(0), WAIT);
      if (minute % 5 === 0) for (const { connection } of held) await connection.alarm();
    }
  };
  const seconds = (): number => Math.floor(Date.now() / 1_000);
  const began = Date.now();
  for (let attempt = 1; Date.now() < began + SIX_HOURS_MS; attempt += 1) {
    for (const { session } of held) {
      await session.commit([
        event.closed("lost", 428),
        { type: "session.reconnecting", attempt, next_at: seconds() + 300, timestamp: seconds() },
      ]);
    }
    await passes(30 * MINUTE_MS, held.length);
  }
  for (const { session } of held) await session.commit([event.open()]);
  await passes(30 * MINUTE_MS, 0);

  for (const { id } of [many, two]) await ownerWaits(id, 2 * SIX_HOURS_MS);
  const mailsTo = (email: string) => mails.filter(({ to }) => to === email);
  await vi.waitFor(() => expect([many, two].map(({ email }) => mailsTo(email).length)).toEqual([1, 1]), WAIT);
  for (const { name, email } of held) expect(mailsTo(email)[0]!.text).toContain(`\n- ${name}\n`);
  expect(mailsTo(many.email)[0]!.text).not.toContain("Loja 11");
  for (const { connection } of held) expect(await connection.status()).toBe("connected/ok");
  bridge.leave();
});

it("an outage delays no other email: one about a phone that is off is sent while its number is offline", async () => {
  const mails: { to: string; subject: string }[] = [];
  vi.spyOn(env.MAIL, "send").mockImplementation(async (mail) => {
    mails.push(mail as never);
    return { messageId: "sent" } as never;
  });
  const { id, email } = await owner();
  const bridge = await FakeBridge.dial({ capacity: 50 });
  await pool().list();
  const connection = await TestConnection.create({ owner_id: id, name: "Loja" });
  await connection.ask("instance.connect", { force_new_pairing: false });
  const session = await bridge.open(connection.uuid);
  await session.commit([event.open()], [["creds|me", "1"]]);
  vi.setSystemTime(Date.now() + 5_000);
  bridge.say({ type: "load", sessions: 12, rss_mb: 1, cpu: 0, away: 12, troubles: [] });
  expect((await pool().fleet()).alarms).toMatchObject([{ kind: "away" }]);
  const seconds = Math.floor(Date.now() / 1_000);
  await session.commit([
    event.closed("lost", 428),
    { type: "session.reconnecting", attempt: 1, next_at: seconds + 300, timestamp: seconds },
    { type: "session.phone", unseen_since: seconds - 900_000, timestamp: seconds },
  ]);
  await connection.alarm();
  await vi.waitFor(async () => expect(await gatheredFor(id)).toHaveLength(1), WAIT);
  await ownerMailed(id);
  expect(mails.filter(({ to }) => to === email)).toMatchObject([{ subject: expect.stringContaining("Phone switched off") as string }]);
  bridge.leave();
});
