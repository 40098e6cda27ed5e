// After a number has been offline for an hour, its owner gets one email.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { OwnerAlerts } from "#root/durable-objects/connection/owner-mail/owner-alerts.ts";
import type { OwnerNotice } from "#root/src/services/mail/send.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";

afterEach(allEnded);

const reconnecting = (): NetworkEvent => ({
  type: "session.reconnecting",
  attempt: 1,
  next_at: Math.floor(Date.now() / 1000) + 1,
  timestamp: Math.floor(Date.now() / 1000),
});

type World = { mails: string[]; sql: SqlStorage; /** Resolves once the next email succeeded or failed. */ ended: () => Promise<void> };

/** Alerts in a separate object, and the emails they sent. */
async function alertsOf<T>(run: (alerts: OwnerAlerts, world: World) => Promise<T>, works = () => true): Promise<T> {
  const mails: string[] = [];
  let rearm = (): void => {};
  const ended = () => new Promise<void>((resolve) => (rearm = resolve));
  const mailOwner = async ({ subject, text }: OwnerNotice) => works() && mails.push(`${subject}\n${text}`) > 0;
  return runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), (_object, { storage: { sql } }) =>
    run(new OwnerAlerts({ sql, name: () => "Loja", mailOwner, rearm: () => rearm() }), { mails, sql, ended }),
  );
}

it("a number that is offline for an hour causes one email, which names the connection", async () => {
  await alertsOf(async (alerts, { mails }) => {
    alerts.add(1_000);
    expect(alerts.nextDue()).toBe(1_000);
    alerts.run(1_000);
    alerts.run(1_000);
    await vi.waitFor(() => expect(alerts.nextDue()).toBeNull());
    alerts.run(9_000_000);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatch(/^Conexão desconectada: Loja \/ Connection offline\n[^]*Continuamos tentando[^]*keep trying/);
  });
});

it("an alert that could not be sent is retried a limited number of times", async () => {
  let works = false;
  await alertsOf(
    async (alerts, { mails, ended }) => {
      alerts.add(0);
      const waits: number[] = [];
      for (let now = 0, due = alerts.nextDue(); due !== null; due = alerts.nextDue()) {
        waits.push(due - now);
        now = due;
        const known = ended();
        alerts.run(now);
        await known;
      }
      expect(waits).toEqual([0, 60_000, 600_000, 3_600_000, 6 * 3_600_000]);
      expect(mails).toEqual([]);
      works = true;
      alerts.add(1);
      alerts.run(1);
      await vi.waitFor(() => expect(mails).toHaveLength(1));
    },
    () => works,
  );
});

it("an alert is due after an hour without the network, and never for the end of a session", async () => {
  const mailed = (connection: TestConnection) =>
    runInDurableObject(connection.stub, (_object, { storage }) => storage.sql.exec("SELECT at FROM owner_alert").toArray().length);
  const [away, banned] = [await TestConnection.connected(), await TestConnection.connected()];
  for (const { connection } of [away, banned]) {
    // The alert would be sent at once; this test only needs it to be due.
    await connection.sql("CREATE TRIGGER keep BEFORE DELETE ON owner_alert BEGIN SELECT RAISE(IGNORE); END");
  }
  await banned.session.commit([event.closed("banned", 406)]);
  for (let attempt = 0; attempt < 21; attempt++) await away.session.commit([reconnecting()]);
  expect([await away.connection.status(), await mailed(away.connection)]).toEqual(["connecting/reconnecting", 0]);
  vi.useFakeTimers({ toFake: ["Date"] });
  await away.connection.after(3_600_001);
  vi.useRealTimers();
  expect([await away.connection.status(), await mailed(away.connection)]).toEqual(["connecting/reconnecting", 1]);
  expect([await banned.connection.status(), await mailed(banned.connection)]).toEqual(["failed/banned", 0]);
});
