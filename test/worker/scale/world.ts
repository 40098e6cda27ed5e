// A connected number with receivers under a clock that only the test advances, and the cost of one message.
import { runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import { STATE } from "#root/durable-objects/connection/delivery/states.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import type { StateRow } from "@gateway/protocol/session-socket.ts";
import { acknowledged, theirText } from "../fakes/messages.ts";
import { endpoint } from "../delivery/delivery-connection.ts";
import { checkBody } from "../support/bodies.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { uncounted } from "./counters.ts";

/** Far in the future, so that no alarm fires on its own. */
const START = Date.UTC(2035, 0, 1, 0, 10);

export type CountedNumber = {
  connection: TestConnection;
  session: FakeSession;
  /** Types of received webhooks. */
  arrived: string[];
  /** Receives one text; resolves once all its effects are stored. */
  inbound(): Promise<void>;
  /** Sends one text, which is acknowledged and delivered to the other phone. */
  send(): Promise<void>;
  /** Adds one more receiver for inbound messages. */
  withReceiver<T>(run: () => Promise<T>): Promise<T>;
  /** Evicts the object from memory as in hibernation: storage and sockets stay. */
  sleep(): Promise<void>;
  /** Advances a minute and fires the alarms that are due. */
  minute(): Promise<void>;
  /** Waits until this many more webhooks have arrived and their results are stored. */
  settled(webhooks: number): Promise<void>;
  end(): Promise<void>;
};

const HOOKS = "https://hooks.example.net/";

/** The size of a bridge's row: a bridge stores the session's keys with each message, and messages that it may have to repeat. */
const SEALED = btoa("x".repeat(300));

let ids = 0;

/** A number with one webhook for all events. */
export async function countedNumber(): Promise<CountedNumber> {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  const { connection, session } = await TestConnection.connected();
  const arrived: string[] = [];
  let settledOf = 0;
  const url = HOOKS + connection.uuid;
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (typeof input !== "string" || !input.startsWith(HOOKS)) return fetch(input, init);
    const body = new TextDecoder().decode(init?.body as Uint8Array);
    checkBody(body);
    arrived.push((JSON.parse(body) as { type: string }).type);
    return new Response(null, { status: 200 });
  });
  const put = await connection.ask("webhook.put", { url, events: null });
  if (!put.ok) throw new Error(put.code);

  const unsettled = () =>
    runInDurableObject(connection.stub, (_object, { storage }) =>
      uncounted(() => storage.sql.exec(`SELECT 1 FROM delivery WHERE state <> ${STATE.delivered} LIMIT 1`).toArray().length),
    );
  const settled = async (webhooks: number) => {
    await vi.waitFor(
      async () => {
        if (arrived.length < settledOf + webhooks || (await unsettled()) > 0)
          throw new Error(`arrived: ${arrived.slice(settledOf).join()}`);
      },
      { timeout: 60_000, interval: 10 },
    );
    settledOf = arrived.length;
  };
  const messageAt = () => Math.floor(Date.now() / 1000) - 5;
  return {
    connection,
    session,
    arrived,
    settled,
    withReceiver: async (run) => {
      await connection.stub.accountEndpointsChanged([endpoint({ url: `${HOOKS}second/${connection.uuid}` })], 1);
      return run();
    },
    sleep: () => connection.evict(),
    minute: async () => void (await connection.after(MINUTE_MS)),
    inbound: async () => {
      ids += 1;
      const message = theirText(`3EB0IN${ids}`, "Bom dia", { timestamp: messageAt() });
      const rows: StateRow[] = [
        [`plain|3EB0IN${ids}`, SEALED],
        ["session|5511900000002.0", SEALED],
      ];
      await session.commit([{ key: `in:${ids}`, event: { type: "message.upsert", origin: "live", message } }], rows);
      await settled(1);
    },
    send: async () => {
      const sending = connection.send("Bom dia");
      const request = (await session.answer("send")) as SendRequest;
      const { message_id } = request;
      // The bridge stores the bytes before it sends them.
      await session.commit(
        [],
        [
          [`sent|${message_id}`, SEALED],
          ["session|5511900000002.0", SEALED],
        ],
      );
      const outcome = acknowledged(message_id, "Bom dia", { timestamp: messageAt() });
      await session.commit([{ key: null, event: { type: "send.settled", message_id, outcome } }]);
      const answer = await sending;
      if (!answer.ok) throw new Error(answer.code);
      for (const status of ["delivered", "read"] as const) {
        const event = {
          type: "message.status",
          chat_id: `${OTHER}@c.us`,
          message_id,
          status,
          participant: null,
          timestamp: messageAt(),
        } as const;
        await session.commit([{ key: `${status}:${message_id}`, event }]);
      }
      await settled(3);
    },
    end: async () => {
      await allEnded();
      vi.restoreAllMocks();
    },
  };
}
