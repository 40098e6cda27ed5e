// What stands when something goes wrong right after a block was stored.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { Ingest } from "../../../durable-objects/connection/ingest.ts";
import { Intake, type IntakeParts } from "../../../durable-objects/connection/intake.ts";
import { Instance } from "../../../durable-objects/connection/session/instance.ts";
import { Progress } from "../../../durable-objects/connection/session/progress.ts";
import { StateRows } from "../../../durable-objects/connection/session/state-rows.ts";
import { Stores } from "../../../durable-objects/connection/store/stores.ts";
import { theirText } from "../fakes/messages.ts";

it("a commit counts, and everybody else is told, when one of those who are to be told breaks", async () => {
  const told: string[] = [];
  const broken = (whom: string) => () => {
    told.push(whom);
    throw new Error(`${whom} broke`);
  };
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), (_object, { storage }) => {
    const { sql } = storage;
    const concluded: boolean[] = [];
    const progress = new Progress(sql);
    progress.begin(1);
    const parts: IntakeParts = {
      storage,
      rows: new StateRows(sql),
      progress,
      instance: new Instance(sql, Date.now()),
      ingest: new Ingest(new Stores(sql)),
      outbox: { confirm: () => undefined, settle: () => [], conclude: (stands) => concluded.push(stands) },
      deliveries: { enqueue: () => undefined, start: broken("deliveries") },
      watchers: { tell: broken("watchers") },
      listeners: { tell: broken("listeners") },
      orders: { heard: broken("orders") },
      face: () => ({ id: 1, uuid: "u", name: "Loja", phone: null }),
      reconnected: () => undefined,
      gaveUp: () => undefined,
    };
    const event = { key: "A", event: { type: "message.upsert" as const, message: theirText("A", "oi"), origin: "live" as const } };
    new Intake(parts).commit({ seq: 1, rows: [["creds|me", "AAAA"]], events: [event], current: true }, Date.now());
    expect(concluded).toEqual([true]);
    expect([progress.seq, new Progress(sql).seq]).toEqual([1, 1]);
  });
  expect(told).toEqual(["deliveries", "watchers", "listeners", "orders"]);
});
