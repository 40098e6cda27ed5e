// Limits on a listener's backlog, and what it reports about dropped events.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { Listeners, type BacklogBounds } from "#root/durable-objects/connection/streams/listeners.ts";
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import { type ListenerFrame, PLACE_STEP } from "@gateway/protocol/stream-sockets.ts";

const INSTANCE = { id: 1, uuid: "u", name: "Loja", phone: null };
const CALLER = { kind: "account", subject: "key:1", role: "owner" } as const;
const fact = (id: string): GatewayFact => ({
  key: `reaction:${id}`,
  at: 1,
  event: {
    type: "message.reaction",
    message_id: id,
    chat_id: "5511900000002@c.us",
    sender: { phone: "5511900000002", lid: null },
    from_me: false,
    reaction: "👍",
    timestamp: 1_900_000_000,
  },
});

type World = {
  /** Stores one event at this time. */
  store: (id: string, at: number) => void;
  pull: (after: number, received: boolean) => Extract<ListenerFrame, { type: "batch" }>;
};

async function withBacklog(bounds: BacklogBounds, run: (world: World) => void): Promise<void> {
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), (_object, ctx) => {
    const host = {
      ctx,
      connection: "u",
      renderContext: () => ({ instance: INSTANCE, appUrl: "https://app.example.com", networkSuffix: "c.us" }),
      isActive: () => true,
      onChange: () => undefined,
    };
    const listeners = new Listeners(host, bounds);
    const made = listeners.create({ style: "account", name: "laptop", events: null }, CALLER, 0);
    if (!made.ok) throw new Error(made.failure.code);
    listeners.accept(JSON.stringify({ id: made.value.id }));
    const [socket] = ctx.getWebSockets(made.value.id);
    if (socket === undefined) throw new Error("no socket");
    const sent: string[] = [];
    socket.send = (text) => void (typeof text === "string" && sent.push(text));
    run({
      store: (id, at) => listeners.store([fact(id)], INSTANCE, at),
      pull: (after, received) => {
        listeners.message(socket, JSON.stringify({ after, received }));
        return JSON.parse(sent.pop() ?? "null") as Extract<ListenerFrame, { type: "batch" }>;
      },
    });
  });
}

const numbers = ({ events }: Extract<ListenerFrame, { type: "batch" }>) => events.map(({ place }) => Math.floor(place / PLACE_STEP));
/** The place of an event that was stored at this time. */
const placeOf = (no: number, at: number) => no * PLACE_STEP + (at % PLACE_STEP);

it("a listener drops its oldest events beyond the limit, and reports exactly how many and from when", async () => {
  await withBacklog({ events: 3, characters: 1e9 }, ({ store, pull }) => {
    for (let n = 1; n <= 7; n += 1) store(`M${n}`, n * 1000);
    const batch = pull(placeOf(2, 2000), true);
    expect(batch.gap).toEqual({ missed: 2, since: 1000, until: 4000 });
    expect(numbers(batch)).toEqual([5, 6, 7]);
  });
});

it("a listener reports no gap if the dropped events had been received", async () => {
  await withBacklog({ events: 3, characters: 1e9 }, ({ store, pull }) => {
    for (let n = 1; n <= 7; n += 1) store(`M${n}`, n * 1000);
    const batch = pull(placeOf(5, 5000), true);
    expect([batch.gap, numbers(batch)]).toEqual([null, [6, 7]]);
    expect(pull(placeOf(7, 7000), true)).toEqual({ type: "batch", gap: null, events: [] });
    store("M8", 8000);
    expect(numbers(pull(placeOf(7, 7000), true))).toEqual([8]);
  });
});

it("a listener is also bounded by its characters, and always keeps the newest event", async () => {
  await withBacklog({ events: 100, characters: 10 }, ({ store, pull }) => {
    store("M1", 1000);
    store("M2", 2000);
    const batch = pull(0, false);
    expect([batch.gap?.missed, numbers(batch)]).toEqual([1, [2]]);
  });
});

it("a listener reports no gap to a reader that starts over after it has received events", async () => {
  await withBacklog({ events: 100, characters: 1e9 }, ({ store, pull }) => {
    for (let n = 1; n <= 3; n += 1) store(`M${n}`, n * 1000);
    expect(numbers(pull(placeOf(2, 2000), true))).toEqual([3]);
    for (const after of [0, placeOf(500, 0)]) {
      const batch = pull(after, true);
      expect([batch.gap, numbers(batch)], String(after)).toEqual([null, [2, 3]]);
    }
  });
});

it("a listener starts over for a number that it never gave", async () => {
  await withBacklog({ events: 100, characters: 1e9 }, ({ store, pull }) => {
    store("M1", 1000);
    expect(numbers(pull(placeOf(500, 0), true))).toEqual([1]);
  });
});

it("a listener starts over for an event that a restored backup lacks, though another event has its number now", async () => {
  await withBacklog({ events: 100, characters: 1e9 }, ({ store, pull }) => {
    store("M1", 1000);
    store("M2 after the restore", 9000);
    store("M3 after the restore", 9001);
    const beforeTheRestore = placeOf(2, 2000);
    expect(numbers(pull(beforeTheRestore, true))).toEqual([1, 2, 3]);
    expect(numbers(pull(placeOf(2, 9000), true))).toEqual([3]);
  });
});
