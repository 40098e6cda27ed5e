// An object with only webhook delivery, and the receivers that a test puts at its URLs.
import { DurableObject } from "cloudflare:workers";
import { Deliveries } from "#root/durable-objects/connection/delivery/deliveries.ts";
import type { TracedAttempt } from "#root/durable-objects/connection/tracing/traces.ts";
import { DELIVERY_MIGRATIONS } from "#root/durable-objects/connection/delivery/schema.ts";
import type { QueueLimits, DeliveryHost } from "#root/durable-objects/connection/delivery/delivery-host.ts";
import { StoredTimes, TIME_MIGRATIONS } from "#root/durable-objects/shared/stored-times.ts";
import { migrate } from "#root/durable-objects/shared/migrate.ts";
import { CatchUp } from "@gateway/domain/catch-up.ts";
import { addTo, type Counts } from "@gateway/domain/statistics/counts.ts";
import type { GatewayFact, InstanceRef } from "@gateway/domain/gateway-event.ts";
import { Vault } from "#root/src/services/secrets/vault.ts";
import { checkBody } from "./bodies.ts";
import { CRASH } from "./crash.ts";

/** A received request; `at` is Unix ms. */
export type Arrival = { url: string; at: number; headers: Headers; body: string; redirect: string | undefined };

/** One object's environment. `answer` responds to requests; a promise that never settles mimics a hanging receiver. */
export type Outside = {
  arrivals: Arrival[];
  answer: (arrival: Arrival) => Response | Promise<Response>;
  mails: { subject: string; text: string }[];
  mailWorks: boolean;
  /** Attempts to deliver traced events. */
  attempts: TracedAttempt[];
  /** True while the owner's account is suspended. */
  isSuspended: boolean;
  /** False while STATE_SECRET lacks the entry that decrypts the signing secrets. */
  hasVault: boolean;
  lines: { what: string; fields: Readonly<Record<string, unknown>> }[];
  /** Number of routine log lines. */
  routineLines: number;
  /** Number of failure notices to the account's guard. */
  notified: number;
  /** Recorded counts. */
  counts: Counts;
  limits?: QueueLimits;
};

const outsides = new Map<string, Outside>();

/** The environment of the object with this name; it outlives the object's instances. */
export function outsideOf(name: string): Outside {
  const known = outsides.get(name);
  if (known !== undefined) return known;
  const outside: Outside = {
    counts: {},
    arrivals: [],
    answer: () => new Response(null, { status: 200 }),
    mails: [],
    mailWorks: true,
    attempts: [],
    isSuspended: false,
    hasVault: true,
    lines: [],
    routineLines: 0,
    notified: 0,
  };
  outsides.set(name, outside);
  return outside;
}

export const INSTANCE: InstanceRef = { id: 7, uuid: "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b", name: "Loja", phone: "5511900000001" };

export class DeliveryObject extends DurableObject {
  readonly deliveries: Deliveries;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    migrate(ctx.storage, [
      ["delivery", DELIVERY_MIGRATIONS],
      ["times", TIME_MIGRATIONS],
    ]);
    const outside = outsideOf(ctx.id.name ?? "");
    const times = new StoredTimes(ctx.storage.sql);
    const catchUp = new CatchUp(ctx.id.name ?? "", Date.now(), times.of("late_work_found"));
    const host: DeliveryHost = {
      sql: ctx.storage.sql,
      transact: (run) => ctx.storage.transactionSync(run),
      counters: {
        add(name: string, amount = 1) {
          addTo(outside.counts, name, amount);
        },
        takeBack: () => undefined,
        flush: () => undefined,
        defer: () => null,
        recover: () => undefined,
      },
      connection: ctx.id.name ?? "",
      catchUp,
      times,
      traceAttempt: (attempt) => outside.attempts.push(attempt),
      isSuspended: () => outside.isSuspended,
      vault: () => (outside.hasVault ? new Vault(new Uint8Array(32).fill(7)) : null),
      instance: () => INSTANCE,
      appUrl: "https://app.example.com",
      networkSuffix: "s.whatsapp.net",
      policy: { own: ["https://app.example.com"], loopback: false },
      egressFetch: async (url, init) => {
        const body = new TextDecoder().decode(init.body as Uint8Array);
        const arrival: Arrival = { url, at: Date.now(), headers: new Headers(init.headers), body, redirect: init.redirect };
        checkBody(body);
        outside.arrivals.push(arrival);
        return outside.answer(arrival);
      },
      clock: () => Date.now(),
      mailOwner: async ({ subject, text }) => {
        if (outside.mailWorks) outside.mails.push({ subject, text });
        return outside.mailWorks;
      },
      log: (what, fields, routine = false) => {
        outside.lines.push({ what, fields });
        outside.routineLines += Number(routine);
      },
      onStored: () => undefined,
      notifyFailing: async () => void (outside.notified += 1),
      rearm: () => this.#arm(),
      ...(outside.limits && { limits: outside.limits }),
    };
    this.deliveries = new Deliveries(host);
    this.#arm();
  }

  override alarm(): void {
    this.deliveries.run(Date.now());
    this.#arm();
  }

  /** Handles facts as the Connection object does: stores them, then starts delivery. */
  accept(facts: readonly GatewayFact[]): void {
    this.ctx.storage.transactionSync(() => this.deliveries.enqueue(facts, INSTANCE, Date.now()));
    for (const participant of this.deliveries.participants) participant.committed?.();
    this.deliveries.dispatcher.dispatchStored();
    this.#arm();
  }

  /** Stores facts in a transaction that is rolled back. */
  takeAndRollBack(facts: readonly GatewayFact[]): void {
    try {
      this.ctx.storage.transactionSync(() => {
        this.deliveries.enqueue(facts, INSTANCE, Date.now());
        throw new Error("rolled back by a test");
      });
    } catch {
      for (const participant of this.deliveries.participants) participant.rolledBack();
      this.#arm();
    }
  }

  crash(): void {
    this.ctx.abort(CRASH);
  }

  armed(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }

  #arm(): void {
    const due = this.deliveries.nextDue(Date.now());
    void (due === null ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(due));
  }
}
