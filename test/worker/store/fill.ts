// Fills a store as messages from unknown senders would. Runs in an object, and in plain Node over an object's database (bench/api.ts).
import { EventProjection } from "#root/durable-objects/connection/projection/event-projection.ts";
import { Stores } from "#root/durable-objects/connection/store/stores.ts";
import { arrival, T0 } from "../../support/arrivals.ts";

const BATCH_SIZE = 1_000;

/** Creates this many chats with one text each; `inOneStep` commits each step. */
export function fillChats(sql: SqlStorage, chats: number, inOneStep: (step: () => void) => void): void {
  const projection = new EventProjection(new Stores(sql));
  for (let first = 0; first < chats; first += BATCH_SIZE) {
    const events = Array.from({ length: Math.min(BATCH_SIZE, chats - first) }, (_, index) => arrival(first + index, first + index));
    inOneStep(() => projection.apply(events, T0 * 1_000));
  }
}
