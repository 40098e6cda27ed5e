import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { person, phones, type Reply } from "#root/test/support/clients.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { IS_SERVED } from "#root/test/support/one-machine/as-sandbox.ts";
import { Receiver } from "#root/test/support/receiver.ts";
import { type Sandbox, startSandbox } from "#root/test/support/sandbox.ts";

/** Each start of a served gateway takes longer. */
const KILLS = IS_SERVED ? 10 : 25;
const SEND_INTERVAL_MS = 50;
/** The phone waits while this many are in flight, so that the machine's speed has no influence. */
const MAX_IN_FLIGHT = 300;
/** Once nothing has arrived for this long, nothing more will: orphans are due within 5 s, and a lost bridge is replaced within 15 s. */
const SILENCE_MS = 60_000;
/** Deliveries answered per worker lifetime before one is left unanswered and the worker is killed. */
const ANSWERED_BETWEEN = 25;
/** One queue has four attempts in flight, plus the prefetched claims whose results may be unstored (claim-buffer.ts, `PREFETCH`). */
const MAX_UNWRITTEN = 4 + 120;

type Delivered = { id: string; messageId: string; body: string; life: number };

let sandbox: Sandbox;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
  sandbox = await startSandbox([], { WEBHOOK_HOSTS: new URL(receiver.url).host });
});
afterEach(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

describe(`the worker killed ${KILLS} times while it delivers`, { timeout: 900_000 }, () => {
  it("loses no event, keeps every id with its bytes, and repeats only deliveries that were in flight", async () => {
    const { demo } = sandbox.ready();
    const contact = demo.contact!.phone;
    await phones(sandbox.ready()).call("PATCH", `/phones/${contact}`, { reply: null });
    const delivered: Delivered[] = [];
    const messageIds = new Set<string>();
    let lastAt = performance.now();
    let life = 0;
    let answeredInLife = 0;
    let atHand: ((response: ServerResponse) => void) | null = null;
    receiver.reply = ({ body }, response) => {
      const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: { message_id: string } };
      if (type !== "message.received") return void response.writeHead(200).end();
      delivered.push({ id, messageId: data.message_id, body, life });
      messageIds.add(data.message_id);
      lastAt = performance.now();
      if (atHand !== null && answeredInLife >= ANSWERED_BETWEEN) return atHand(response);
      answeredInLife += 1;
      response.writeHead(200).end();
    };
    const webhook = { url: receiver.url, events: ["message.received"] };
    const put = await (await person(sandbox.ready())).call("PUT", `/connections/${demo.connection.id}/webhook`, webhook);
    expect(put.status).toBe(201);

    const sends: Promise<Reply>[] = [];
    const sending = setInterval(() => {
      if (sends.length - messageIds.size >= MAX_IN_FLIGHT) return;
      sends.push(phones(sandbox.ready()).send(contact, { to: demo.connection.phone, text: `in-${sends.length}` }));
    }, SEND_INTERVAL_MS);
    const heldIds: string[] = [];
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        // Guarantees a delivery in flight: received but unanswered.
        const response = await new Promise<ServerResponse>((resolve) => {
          atHand = (unanswered) => {
            atHand = null;
            resolve(unanswered);
          };
        });
        heldIds.push(delivered.at(-1)?.id ?? "");
        const pid = sandbox.ready().processes.worker;
        const cut = once(response, "close");
        process.kill(-pid, "SIGKILL");
        await cut;
        await eventually("the worker was started again", 60_000, () => sandbox.ready().processes.worker !== pid);
        // Reset only now: the old worker's last requests may be read after its sockets are cut, and the new worker is not listening yet.
        life += 1;
        answeredInLife = 0;
      }
    } finally {
      clearInterval(sending);
    }

    const fromPhone = (await Promise.all(sends)).map((reply) => reply.body.message_id as string);
    const missing = () => fromPhone.filter((id) => !messageIds.has(id));
    const again = () => heldIds.filter((id) => delivered.filter((each) => each.id === id).length < 2);
    await eventually("all is delivered, or nothing more comes", 400_000, () => {
      const complete = missing().length === 0 && again().length === 0;
      return complete || performance.now() - lastAt > SILENCE_MS;
    });
    expect(missing(), `${missing().length} of ${fromPhone.length} lost`).toEqual([]);
    expect(again(), "deliveries in flight at a kill that were never repeated").toEqual([]);

    const byId = Map.groupBy(delivered, ({ id }) => id);
    const idsOfMessages = Map.groupBy(byId.values(), ([first]) => first?.messageId);
    expect([...idsOfMessages.values()].filter((deliveries) => deliveries.length > 1)).toEqual([]);
    expect([...byId.values()].filter((copies) => new Set(copies.map(({ body }) => body)).size > 1)).toEqual([]);

    // A worker never repeats a delivery in its lifetime; after a kill, at most the deliveries in flight are repeated.
    const repeatsByLife = new Map<number, number>();
    for (const copies of byId.values()) {
      const lives = copies.map((copy) => copy.life);
      expect(new Set(lives).size, `twice in one life: ${lives.join(", ")}`).toBe(lives.length);
      for (const before of lives.slice(0, -1)) repeatsByLife.set(before, (repeatsByLife.get(before) ?? 0) + 1);
    }
    expect([...repeatsByLife.values()].filter((count) => count > MAX_UNWRITTEN)).toEqual([]);
    const repeats = delivered.length - byId.size;
    process.stdout.write(`${KILLS} kills: ${fromPhone.length} messages, ${delivered.length} deliveries, ${repeats} of them repeated\n`);
  });
});
