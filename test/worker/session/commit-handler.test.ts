// What is stored when something fails right after the transaction.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { EventProjection } from "../../../durable-objects/connection/projection/event-projection.ts";
import { CommitHandler, type CommitHandlerDependencies } from "../../../durable-objects/connection/commit-handler.ts";
import { Instance } from "../../../durable-objects/connection/session/instance.ts";
import { CommitProgress } from "../../../durable-objects/connection/session/commit-progress.ts";
import { StateRows } from "../../../durable-objects/connection/session/state-rows.ts";
import { Stores } from "../../../durable-objects/connection/store/stores.ts";
import { theirText } from "../fakes/messages.ts";

it("a commit is stored, and every other listener notified, when a listener throws", async () => {
  const notified: string[] = [];
  const broken = (whom: string) => () => {
    notified.push(whom);
    throw new Error(`${whom} broke`);
  };
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), (_object, { storage }) => {
    const { sql } = storage;
    const finished: boolean[] = [];
    const progress = new CommitProgress(sql);
    progress.begin(1, "bridge");
    const deps: CommitHandlerDependencies = {
      storage,
      stateRows: new StateRows(sql),
      progress,
      instance: new Instance(sql, Date.now()),
      projection: new EventProjection(new Stores(sql)),
      outbox: {
        confirm: () => undefined,
        settle: () => [],
        hasOverdue: () => false,
        settleOverdue: () => [],
        finishCommit: (committed) => finished.push(committed),
      },
      deliveries: { enqueue: () => undefined, start: broken("deliveries") },
      watchers: { emit: broken("watchers") },
      listeners: { emit: broken("listeners") },
      automations: { onFacts: broken("automations") },
      instanceRef: () => ({ id: 1, uuid: "u", name: "Loja", phone: null }),
      onReconnected: () => undefined,
      onApplied: () => undefined,
      onGaveUp: () => undefined,
    };
    const event = { key: "A", event: { type: "message.upsert" as const, message: theirText("A", "oi"), origin: "live" as const } };
    new CommitHandler(deps).commit({ seq: 1, rows: [["creds|me", "AAAA"]], events: [event], current: true }, Date.now());
    expect(finished).toEqual([true]);
    expect([progress.seq, new CommitProgress(sql).seq]).toEqual([1, 1]);
  });
  expect(notified).toEqual(["deliveries", "watchers", "listeners", "automations"]);
});
