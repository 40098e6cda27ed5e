// A connection with receivers, under a clock that only the test advances.
import { CONNECTION_WEBHOOK } from "#root/durable-objects/connection/delivery/connection-webhook.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { STATE } from "#root/durable-objects/connection/delivery/states.ts";
import { freshRecord, NOT_OWN } from "#root/durable-objects/connection/messages/message-record.ts";
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import type { AccountEndpoint } from "@gateway/protocol/connection.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { theirText } from "../fakes/messages.ts";
import { evict, type Memory, ringAlarm, runAlarmsUntil } from "../support/eviction.ts";
import { type DeliveryObject, type Outside, outsideOf } from "../support/delivery-object.ts";

export const HOOK = "https://hooks.example.com/b";
/** Far in the future, so that no alarm fires on its own. */
export const START = Date.UTC(2035, 0, 1);
export const SECOND = 1_000;
/** Longer than the dispatcher batches results (`WRITE_DELAY_MS` in dispatcher.ts). */
const BATCHED_WRITE_MS = 40;

export type Connection = {
  name: string;
  outside: Outside;
  /** Runs inside the object. */
  in<T>(what: (object: DeliveryObject, sql: SqlStorage) => T | Promise<T>): Promise<T>;
  /** Emits facts; resolves once all resulting attempts have ended. */
  emit(...facts: GatewayFact[]): Promise<void>;
  /** Fires the alarm if set, and waits for the work it starts. */
  alarm(): Promise<void>;
  /** Waits for all attempts in flight, and fires alarms that are due. */
  settle(): Promise<void>;
  /** Advances the clock from alarm to alarm up to `at`. Evicts the object whenever it is idle. */
  runUntil(at: number, memory?: Memory): Promise<number>;
  /** Evicts the instance once work in flight has ended; its storage stays. */
  evict(): Promise<void>;
  /** Aborts the instance at once; its storage stays. */
  crash(): Promise<void>;
  dueAt(): Promise<number | null>;
};

export function freezeTime(at = START): void {
  vi.useFakeTimers({ now: at, toFake: ["Date"] });
}

export function connection(limits?: { rows: number; bytes: number }, name: string = crypto.randomUUID()): Connection {
  const outside = outsideOf(name);
  if (limits !== undefined) outside.limits = limits;
  const stub = () => env.DELIVERIES.getByName(name);
  const inside: Connection["in"] = (what) => runInDurableObject(stub(), (object, { storage }) => what(object, storage.sql));
  const due = () => inside((object) => object.deliveries.nextDue(Date.now()));
  const settle = () =>
    inside(async (_object, sql) => {
      const seen = () => outside.arrivals.length + outside.lines.length;
      for (let waited = false; !waited;) {
        for (let quiet = 0; quiet < 3;) {
          const before = seen();
          await new Promise<void>((resolve) => void setTimeout(resolve, 0));
          quiet = seen() === before ? quiet + 1 : 0;
        }
        // While a receiver is busy, results are stored a little later.
        if (sql.exec(`SELECT 1 FROM delivery WHERE state = ${STATE.inFlight} LIMIT 1`).toArray().length === 0) return;
        const before = seen();
        await new Promise<void>((resolve) => void setTimeout(resolve, BATCHED_WRITE_MS));
        waited = seen() === before;
      }
    });
  const alarm = async () => {
    await ringAlarm(stub());
    await settle();
  };
  return {
    name,
    outside,
    settle,
    alarm,
    in: inside,
    dueAt: due,
    emit: async (...facts) => {
      await inside((object) => object.accept(facts));
      await settle();
    },
    runUntil: (at, memory = {}) => runAlarmsUntil(stub(), at, { ...memory, settle }),
    crash: async () => {
      await inside(() => undefined);
      await inside((object) => object.crash()).catch(() => undefined);
    },
    evict: () => evict(stub()),
  };
}

/** Creates a Connection API webhook at `HOOK` and returns its secret. */
export async function withWebhook(connection: Connection, events: string[] | null = null): Promise<string> {
  const { secret } = must(await connection.in((object) => object.deliveries.webhook.put(HOOK, events)));
  return secret ?? "";
}

type ConnectionWebhook = DeliveryObject["deliveries"]["webhook"];

/** Calls the connection's webhook inside the object. */
export const webhook = <T>(connection: Connection, ask: (webhook: ConnectionWebhook) => T | Promise<T>): Promise<T> =>
  connection.in(({ deliveries }) => ask(deliveries.webhook));

/** No filter, starting with the newest. */
export const all = (limit: number) => ({ status: null, event: null, limit, before: null });

/** Deliveries as the connection's customer sees them, newest first. */
export const list = async (connection: Connection, limit = 20) =>
  must(await webhook(connection, (it) => it.deliveries.page(CONNECTION_WEBHOOK, all(limit)))).items;
export const detail = (connection: Connection, id: string) => webhook(connection, (it) => it.deliveries.find(CONNECTION_WEBHOOK, id));
export const resend = (connection: Connection, id: string) => webhook(connection, (it) => it.deliveries.resend(CONNECTION_WEBHOOK, id));

export const endpoint = (changes: Partial<AccountEndpoint> = {}): AccountEndpoint => ({
  id: crypto.randomUUID(),
  url: "https://hooks.example.com/a",
  events: ["message.received"],
  secret: null,
  headers: {},
  retry_count: 3,
  timeout_ms: 5_000,
  is_active: true,
  ...changes,
});

export function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`refused: ${outcome.failure.code}`);
  return outcome.value;
}

let facts = 0;

/** A message received just now. */
export function received(text = "oi"): GatewayFact {
  facts += 1;
  const timestamp = Math.floor(Date.now() / 1_000);
  return {
    key: `message:${facts}`,
    at: timestamp * 1_000,
    event: {
      type: "message.received",
      message: freshRecord(theirText(`3EB0${facts}`, text, { push_name: "Ana", timestamp }), NOT_OWN, null),
    },
  };
}

export const idOf = (body: string): string => (JSON.parse(body) as { id: string }).id;

export const respond500 = (): Response => new Response("no", { status: 500 });
export const respond204 = (): Response => new Response(null, { status: 204 });
export const neverRespond = (): Promise<Response> => new Promise(() => undefined);
