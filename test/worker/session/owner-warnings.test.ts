// Emails that an owner opted into: the number is down, the webhook fails, the network restricts the number.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OwnerNotice } from "#root/src/services/mail/send.ts";
import { OwnerWarnings } from "#root/durable-objects/connection/owner-mail/owner-warnings.ts";
import { type InstanceState, initialState } from "@gateway/domain/instance/state.ts";
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";

afterEach(allEnded);

const MINUTE = 60_000;

type World = {
  warnings: OwnerWarnings;
  mails: string[];
  facts: { alerts: InstanceSettings["alerts"]; state: InstanceState; failingSince: number | null; works: boolean; held: Promise<void> };
  /** Runs work due at this time and waits for the result. */
  at: (now: number) => Promise<void>;
  /** A new instance, as after an eviction. */
  again: () => OwnerWarnings;
};

async function inObject(run: (world: World) => Promise<void>): Promise<void> {
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage: { sql } }) => {
    const mails: string[] = [];
    const facts: World["facts"] = {
      alerts: DEFAULT_INSTANCE_SETTINGS.alerts,
      state: { ...initialState(0), status: "connected", reason: "ok", connectedAt: 0 },
      failingSince: null,
      works: true,
      held: Promise.resolve(),
    };
    let rearm = (): void => undefined;
    const made = () =>
      new OwnerWarnings({
        sql,
        settings: () => facts.alerts,
        state: () => facts.state,
        webhookFailingSince: () => facts.failingSince,
        name: () => "Loja",
        mailOwner: async ({ kind, subject }: OwnerNotice) => {
          await facts.held;
          return facts.works && mails.push(`${kind}: ${subject}`) > 0;
        },
        rearm: () => rearm(),
      });
    const warnings = made();
    const at = async (now: number) => {
      const known = new Promise<void>((resolve) => (rearm = resolve));
      const due = warnings.nextDue();
      warnings.run(now);
      if (due !== null && due <= now) await known;
    };
    await run({ warnings, mails, facts, at, again: made });
  });
}

const down = (state: InstanceState, since: number, reason: InstanceState["reason"] = "reconnecting"): InstanceState => ({
  ...state,
  status: "connecting",
  reason,
  connectedAt: null,
  lastDisconnectedAt: since,
});

describe("a number that is down", () => {
  it("is emailed once per outage, after the set time; not if it ends sooner or alerts are off", () =>
    inObject(async ({ warnings, mails, facts, at, again }) => {
      facts.state = down(facts.state, MINUTE);
      expect(warnings.nextDue()).toBe(null);
      facts.alerts = { ...facts.alerts, disconnected_minutes: 10 };
      expect(warnings.nextDue()).toBe(11 * MINUTE);
      await at(11 * MINUTE - 1);
      expect(mails).toEqual([]);
      await at(11 * MINUTE);
      expect(mails).toEqual(["connection_down: Conexão fora do ar: Loja / Connection down"]);
      expect([warnings.nextDue(), again().nextDue()]).toEqual([null, null]);
      facts.state = { ...facts.state, status: "connected", reason: "ok", connectedAt: 20 * MINUTE };
      await at(60 * MINUTE);
      facts.state = down(facts.state, 70 * MINUTE);
      await at(75 * MINUTE);
      facts.state = { ...facts.state, status: "connected", reason: "ok", connectedAt: 76 * MINUTE };
      await at(90 * MINUTE);
      expect(mails).toHaveLength(1);
      facts.state = down(facts.state, 100 * MINUTE, "logged_out");
      await at(110 * MINUTE);
      expect(mails).toHaveLength(2);
    }));

  it.each(["manual", "created", "account_suspended"] as const)("is not emailed when the disconnect was intended: %s", (reason) =>
    inObject(async ({ warnings, facts }) => {
      facts.alerts = { ...facts.alerts, disconnected_minutes: 5 };
      facts.state = down(facts.state, 0, reason);
      expect(warnings.nextDue()).toBe(null);
    }),
  );
});

it("a failing webhook and a restricted number are emailed if alerts request them", () =>
  inObject(async ({ warnings, mails, facts, at }) => {
    facts.failingSince = 0;
    facts.state = { ...facts.state, restriction: { type: "new_chats_blocked", enforcement: "x", ends_at: null, detected_at: 60 } as never };
    expect(warnings.nextDue()).toBe(null);
    facts.alerts = { ...facts.alerts, webhook_failing_minutes: 15, restricted: true };
    expect(warnings.nextDue()).toBe(MINUTE);
    await at(MINUTE);
    await at(15 * MINUTE);
    expect(mails.map((mail) => mail.split(":")[0])).toEqual(["number_restricted", "webhook_failing"]);
    expect(warnings.nextDue()).toBe(null);
  }));

it("a phone that has been off for long is always emailed, once per occasion, not after it is unlinked", () =>
  inObject(async ({ warnings, mails, facts, at }) => {
    facts.state = { ...facts.state, paired: true, phoneUnseenSince: 0 };
    expect(warnings.nextDue()).toBe(0);
    await at(MINUTE);
    expect(mails).toEqual(["phone_unseen: Celular desligado? Loja / Phone switched off?"]);
    expect(warnings.nextDue()).toBe(null);
    facts.state = { ...facts.state, phoneUnseenSince: null };
    expect(warnings.nextDue()).toBe(null);
    facts.state = { ...facts.state, phoneUnseenSince: 5 * MINUTE };
    expect(warnings.nextDue()).toBe(5 * MINUTE);
    facts.state = { ...facts.state, paired: false };
    expect(warnings.nextDue()).toBe(null);
  }));

it("an incident that began while the email about the last one was being sent is emailed once", () =>
  inObject(async ({ warnings, mails, facts, at }) => {
    const released = Promise.withResolvers<void>();
    facts.state = { ...facts.state, paired: true, phoneUnseenSince: 0 };
    facts.held = released.promise;
    const first = at(MINUTE);
    facts.state = { ...facts.state, phoneUnseenSince: 5 * MINUTE };
    facts.held = Promise.resolve();
    await at(6 * MINUTE);
    released.resolve();
    await vi.waitFor(() => expect(mails).toHaveLength(2));
    void first;
    expect(warnings.nextDue()).toBe(null);
  }));

it("a warning that could not be sent is retried a limited number of times", () =>
  inObject(async ({ warnings, mails, facts, at }) => {
    facts.works = false;
    facts.alerts = { ...facts.alerts, restricted: true };
    facts.state = { ...facts.state, restriction: { type: "new_chats_blocked", enforcement: "x", ends_at: null, detected_at: 0 } as never };
    const waits: number[] = [];
    for (let now = 0, due = warnings.nextDue(); due !== null; due = warnings.nextDue()) {
      waits.push(due - now);
      now = due;
      await at(now);
    }
    expect(waits).toEqual([0, 60_000, 600_000, 3_600_000, 6 * 3_600_000]);
    expect(mails).toEqual([]);
  }));

it("a warning is due by the object's alarm when a drop has lasted so long", async () => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1, 10, 20), toFake: ["Date"] });
  const { connection, session } = await TestConnection.connected();
  const warned = () => connection.sql("SELECT kind FROM owner_warning");
  await connection.change({
    settings: { ...DEFAULT_INSTANCE_SETTINGS, alerts: { ...DEFAULT_INSTANCE_SETTINGS.alerts, disconnected_minutes: 5 } },
  });
  await session.commit([event.closed("banned", 403)]);
  await connection.after(5 * MINUTE - 1);
  expect(await warned()).toEqual([]);
  await connection.after(1);
  expect(await warned()).toEqual([{ kind: "connection_down" }]);
});

it("a warning is due at once when the bridge has not heard of the phone for long, and not when it is back", async () => {
  const { connection, session } = await TestConnection.connected();
  const now = Math.floor(Date.now() / 1000);
  const due = () =>
    runInDurableObject(connection.stub, async (_object, { storage }) => {
      const alarm = await storage.getAlarm();
      const mailed = storage.sql.exec("SELECT since FROM owner_warning WHERE kind = 'phone_unseen'").toArray().length;
      return mailed > 0 || (alarm !== null && alarm <= Date.now());
    });
  await session.commit([{ type: "session.phone", unseen_since: null, timestamp: now }]);
  expect(await due()).toBe(false);
  await session.commit([{ type: "session.phone", unseen_since: now - 900_000, timestamp: now }]);
  await vi.waitFor(async () => expect(await due()).toBe(true));
});

it("a warning is due at once when another phone pairs a number, and is in the owner's list of acts", async () => {
  const { connection, bridge, session } = await TestConnection.connected();
  const acts = async () => {
    const listed = await connection.ask("actions.list", { limit: 10, before: null });
    return listed.ok ? listed.value.items.map(({ actor, act, subject }) => [actor, act, subject]) : listed.code;
  };
  await session.commit([event.closed("logged_out", 401)]);
  await connection.ask("instance.connect", { force_new_pairing: false });
  const next = await bridge.open(connection.uuid);
  await next.commit([{ ...event.paired(), phone: "5511900000077" } as ReturnType<typeof event.paired>]);
  const mailed = () =>
    runInDurableObject(connection.stub, (_object, { storage: { sql } }) =>
      sql.exec("SELECT since FROM owner_warning WHERE kind = 'number_changed'").toArray(),
    );
  await connection.alarm();
  await vi.waitFor(async () => expect(await mailed()).toHaveLength(1));
  expect((await acts())[0]).toEqual(["gateway", "number_changed", "5511900000077"]);
  await connection.ask("instance.connect", { force_new_pairing: true }, { flags: { mutating: true, counted: false, cached: false } });
  expect((await acts())[0]).toEqual(["owner", "pairing_forced", null]);
});
