// After a commit that was rolled back, an object holds in memory what its storage holds.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { type ConnectionComponents, createComponents } from "#root/durable-objects/connection/components.ts";
import { handlersOf } from "#root/durable-objects/connection/operations.ts";
import { OutboxRows, type SendDetails } from "#root/durable-objects/connection/outbox/outbox-rows.ts";
import { PRODUCTION } from "#root/durable-objects/shared/deployment.ts";
import { gridOf } from "@gateway/domain/spread.ts";
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { acknowledged, theirText } from "../fakes/messages.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";

afterEach(allEnded);

const NOW = Date.UTC(2035, 0, 1);
const AT = NOW / 1000;
const CHAT = `${OTHER}@c.us` as const;
const sendOf = (message_id: string): SendRequest => ({
  message_id,
  chat_id: CHAT,
  content: { kind: "text", text: "oi", preview: null },
  quoted: null,
  mentions: [],
  mention_all: false,
  typing_ms: 0,
  status: null,
});
const [SENT, RETURNED] = [sendOf("3EB0000000000001"), sendOf("3EB0000000000002")];

const EVENTS: readonly NetworkEvent[] = [
  { type: "message.upsert", message: theirText("A", "oi"), origin: "live" },
  { type: "send.settled", message_id: SENT.message_id, outcome: acknowledged(SENT.message_id, "oi") },
  { type: "send.settled", message_id: RETURNED.message_id, outcome: { kind: "refused", failure: { code: "instance_reconnecting" } } },
  { type: "message.status", chat_id: CHAT, message_id: SENT.message_id, status: "read", participant: null, timestamp: AT },
  { type: "contact.updated", person: { phone: OTHER, lid: null }, name: "Bia" },
  { type: "lid.mapped", lid: "99887766554433", phone: OTHER },
  { type: "label.updated", label_id: "1", name: "Novo", color: 1, predefined: false, timestamp: AT },
  { type: "presence", chat_id: CHAT, person: { phone: OTHER, lid: null }, presence: "typing", last_seen: null, timestamp: AT },
  { type: "profile.updated", name: "Loja Nova" },
  { type: "session.reconnecting", attempt: 1, next_at: AT + 1, timestamp: AT },
];
/** Events of the session have no dedupe key, as in `SessionEvent`. */
const keyed = (events: readonly NetworkEvent[]): KeyedEvent[] =>
  events.map((each, index) => ({ key: each.type.startsWith("session.") ? null : `test:${index}`, event: each }));

/** The state that the object answers with and by which it sets its alarm. */
async function seen(components: ConnectionComponents) {
  const { counters, deliveries, instance, outbox, progress, scheduled, stores, waiting } = components;
  const handlers = handlersOf(components);
  const page = { limit: 10, cursor: null };
  return {
    due: scheduled.map((each) => [each.constructor.name, each.nextDue(NOW)]),
    later: scheduled.map((each) => [each.constructor.name, each.nextDue(NOW + 2 * HOUR_MS)]),
    instance: instance.state,
    progress: [progress.seq, progress.facts],
    counts: [...counters.hoursSince(0)],
    unpushed: counters.oldestUnpushed,
    deliveries: deliveries.waiting,
    open: [SENT, RETURNED].map(({ message_id }) => [outbox.openRequest(message_id), outbox.hasLeft(message_id)]),
    waiting: [waiting.rows.total, waiting.rows.firstAt(), waiting.rows.due(NOW).length, waiting.refusal(0)],
    chats: stores.chatQueries.get(CHAT),
    person: stores.lids.person({ phone: null, lid: "99887766554433" }),
    listed: await handlers["waiting.list"]({ chat_id: null, ...page }, { now: NOW } as never),
  };
}

type World = {
  components: ConnectionComponents;
  /** Makes each transaction fail at its end for which `fails` is true. Transactions within others count, too, and are parts. */
  failing(fails: (nth: number, isPart: boolean) => boolean, run: () => void): void;
  /** Builds the components again, from storage only. */
  restarted(): ConnectionComponents;
};

/** A connection with open sends and receivers. Only a suspended one has a webhook, because its deliveries wait instead of running. */
async function inObject(run: (world: World) => Promise<void>, { suspended = true } = {}): Promise<void> {
  const connection = await TestConnection.create({ owner_suspended: suspended });
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
  await runInDurableObject(connection.stub, async (_object, state) => {
    const { storage } = state;
    const rows = new OutboxRows(storage.sql, gridOf(connection.uuid, DAY_MS));
    const details: SendDetails = { to: OTHER, reference: null, source: "api", content: null };
    rows.storeDispatched(SENT, details, 1, NOW);
    rows.storeDispatched(RETURNED, { ...details, delivery: { at: NOW - 1, until: NOW + HOUR_MS, acceptedAt: NOW - 1, bytes: 0 } }, 1, NOW);

    let fails = (_nth: number, _isPart: boolean) => false;
    let [nth, depth] = [0, 0];
    const transactionSync = <T>(block: () => T): T =>
      storage.transactionSync(() => {
        depth += 1;
        try {
          const result = block();
          if (fails((nth += 1), depth > 1)) throw new Error("rolled back by a test");
          return result;
        } finally {
          depth -= 1;
        }
      });
    const create = (context: DurableObjectState) => createComponents(context, env as never, PRODUCTION, () => undefined);
    const components = create(changed(state, { storage: changed(storage, { transactionSync }) }));
    if (suspended) components.deliveries.webhook.put("https://hooks.example.com/b", null);
    components.notifications.set("session", true);
    const listener = { style: "connection", name: "caixa", events: null } as const;
    components.listeners.create(listener, { kind: "account", subject: "owner", role: "owner" }, NOW);
    components.instance.apply({ type: "connect", forceNewPairing: false }, NOW);
    components.session.applyEvents(keyed([event.open()]), NOW);
    await run({
      components,
      failing: (which, block) => {
        fails = which;
        try {
          block();
        } finally {
          fails = () => false;
        }
      },
      restarted: () => create(state),
    });
  });
}

/** The object with these members changed. Its methods run on the object itself, because the runtime's objects accept no other. */
function changed<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get: (target, name) => {
      if (Object.hasOwn(members, name)) return members[name as keyof T];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value as (...given: unknown[]) => unknown).bind(target) : value;
    },
  });
}

it("an object holds what it held before, if nothing of a commit could be stored", () =>
  inObject(async ({ components, failing, restarted }) => {
    const before = await seen(components);
    const commit = () => components.session.applyEvents(keyed(EVENTS), NOW);
    expect(() => failing(() => true, commit)).toThrow("rolled back by a test");
    expect(await seen(components)).toEqual(before);
    expect(await seen(restarted())).toEqual(before);
    commit();
    expect(await seen(components)).not.toEqual(before);
  }));

it.each([2, 3])("an object holds what is stored, if every %i. part of a commit could not be stored", (every) =>
  inObject(async ({ components, failing, restarted }) => {
    const before = await seen(components);
    const isFirst = (nth: number) => nth === 1;
    failing(
      (nth, isPart) => isFirst(nth) || (isPart && nth % every === 0),
      () => components.session.applyEvents(keyed(EVENTS), NOW),
    );
    const after = await seen(components);
    expect(after).not.toEqual(before);
    expect(after).toEqual(await seen(restarted()));
  }),
);

it("an object mails no alert whose step was not stored", () => inObject(mailsNoAlert, { suspended: false }));

async function mailsNoAlert({ components, failing, restarted }: World): Promise<void> {
  const reconnecting: NetworkEvent = { type: "session.reconnecting", attempt: 1, next_at: AT + 1, timestamp: AT };
  components.session.applyEvents(keyed([reconnecting]), NOW);
  const before = await seen(components);
  const tick = () => components.session.run(NOW + 2 * HOUR_MS);
  expect(() => failing(() => true, tick)).toThrow("rolled back by a test");
  expect(await seen(components)).toEqual(before);
  expect(await seen(restarted())).toEqual(before);
  tick();
  expect((await seen(components)).due).toContainEqual(["OwnerAlerts", NOW + 2 * HOUR_MS]);
}
