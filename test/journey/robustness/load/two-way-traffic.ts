// Steady traffic both ways over one number or several in turn, and its outcome.
import { setTimeout as pause } from "node:timers/promises";
import { customer, phones, type Reply } from "#root/test/support/clients.ts";
import { eventually } from "#root/test/support/eventually.ts";
import type { Receiver } from "#root/test/support/receiver.ts";
import type { Sandbox } from "#root/test/support/sandbox.ts";
import { MAX_UNANSWERED } from "./repeated-sends.ts";

const PER_SECOND = 20;
const ARRIVED_WITHIN_MS = 120_000;

/** A participating number. */
export type Party = { phone: string; key: string };

type Sent = { text: string; startedAt: number; reply: Promise<{ reply: Reply; endedAt: number }> };

export type Traffic = { stop(): Promise<TrafficResult> };

export type TrafficResult = {
  sent: number;
  received: number;
  /** Texts from the phone that were never delivered. */
  lost: string[];
  /** Messages delivered under two ids, and texts that the phone shows twice. */
  doubled: string[];
  /** Sends whose response disagrees with the messages on the phone. */
  wrong: string[];
  notOk: { text: string; status: number; body: unknown }[];
  /** Longest gap between two answered sends, longest gap between two deliveries, and longest send. In ms. */
  outPauseMs: number;
  inPauseMs: number;
  longestSendMs: number;
  /** Sends answered after more than half a second. */
  waited: number;
};

/** `contact`: the phone that all parties exchange messages with. `receiver` gets their `message.received`. */
export function startTraffic(sandbox: Sandbox, parties: readonly Party[], contact: string, receiver: Receiver, name: string): Traffic {
  const sent: Sent[] = [];
  const fromPhone: { text: string; reply: Promise<Reply> }[] = [];
  const network = phones(sandbox.ready());
  const stopping = new AbortController();
  let unanswered = 0;
  const running = (async () => {
    const startedAt = performance.now();
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      await pause(Math.max(0, (n * 1_000) / PER_SECOND - (performance.now() - startedAt)));
      // Load beyond the machine's capacity would only queue up.
      await eventually("others are answered", ARRIVED_WITHIN_MS, () => unanswered < MAX_UNANSWERED);
      const party = parties[n % parties.length];
      if (party === undefined) return;
      const text = `${name}-out-${n}`;
      unanswered += 1;
      const reply = customer(sandbox.ready(), party.key)
        .text(contact, text)
        .finally(() => (unanswered -= 1));
      sent.push({ text, startedAt: performance.now(), reply: reply.then((answer) => ({ reply: answer, endedAt: performance.now() })) });
      fromPhone.push({ text: `${name}-in-${n}`, reply: network.send(contact, { to: party.phone, text: `${name}-in-${n}` }) });
    }
  })();
  let ended: Promise<TrafficResult> | null = null;
  return {
    stop() {
      stopping.abort();
      return (ended ??= running.then(() => judge()));
    },
  };

  async function judge(): Promise<TrafficResult> {
    const answers = await Promise.all(sent.map(async ({ text, startedAt, reply }) => ({ text, startedAt, ...(await reply) })));
    const ids = await Promise.all(fromPhone.map(async ({ text, reply }) => ({ text, id: (await reply).body.message_id as string })));
    const deliveries = deliveriesOf(receiver);
    const missing = () => {
      const arrived = deliveries();
      return ids.filter(({ id }) => !arrived.has(id)).map(({ text }) => text);
    };
    await eventually("all messages of the phone are delivered", ARRIVED_WITHIN_MS, () => missing().length === 0).catch(() => undefined);
    const inbox = (await network.inbox(contact)).filter((record) => record["from_me"] === false);
    const copies = Map.groupBy(inbox, (record) => String(record["text"]));
    const many = (text: string) => copies.get(text)?.length ?? 0;
    const arrived = deliveries();
    const delivered = ids.map(({ id }) => arrived.get(id) ?? []);
    const twice = ids.filter((_each, n) => new Set(delivered[n]?.map(({ delivery }) => delivery)).size > 1);
    return {
      sent: answers.length,
      received: ids.length,
      lost: missing(),
      doubled: [
        ...twice.map(({ text }) => text),
        ...answers.filter(({ text }) => many(text) > 1).map(({ text }) => text),
        ...inbox.filter((record) => Number(record["duplicates"] ?? 0) > 0).map((record) => String(record["text"])),
      ],
      wrong: answers
        .filter(({ text, reply: { status } }) => many(text) !== (status === 200 ? 1 : 0) && status !== 424)
        .map(({ text, reply: { status } }) => `${text}: ${status}, ${many(text)} copies`),
      notOk: answers.flatMap(({ text, reply: { status, body } }) => (status === 200 ? [] : [{ text, status, body }])),
      outPauseMs: longestPause(answers.map(({ endedAt }) => endedAt)),
      inPauseMs: longestPause(delivered.flatMap((each) => each.slice(0, 1).map(({ at }) => at))),
      longestSendMs: Math.max(...answers.map(({ startedAt, endedAt }) => endedAt - startedAt)),
      waited: answers.filter(({ startedAt, endedAt }) => endedAt - startedAt > 500).length,
    };
  }
}

type Delivered = { delivery: string; at: number };

type MessageBody = { id: string; event: string; data: { message?: { id: string }; id?: string; message_id?: string } };

/** Deliveries per message id. Each call parses only new deliveries, because waits poll it many times a second. */
function deliveriesOf(receiver: Receiver): () => Map<string, Delivered[]> {
  const found = new Map<string, Delivered[]>();
  let read = 0;
  return () => {
    for (const { body, at } of receiver.received.slice(read)) {
      read += 1;
      const { id, event, data } = JSON.parse(body) as MessageBody;
      if (event !== "message.received") continue;
      const message = data.message_id ?? data.message?.id ?? data.id ?? "";
      const deliveries = found.get(message);
      if (deliveries === undefined) found.set(message, [{ delivery: id, at }]);
      else deliveries.push({ delivery: id, at });
    }
    return found;
  };
}

function longestPause(times: readonly number[]): number {
  const inOrder = times.toSorted((a, b) => a - b);
  return Math.max(0, ...inOrder.slice(1).map((at, n) => at - (inOrder[n] ?? at)));
}

export function line(what: string, result: TrafficResult): string {
  const { sent, received, lost, doubled, notOk, outPauseMs, inPauseMs, longestSendMs, waited } = result;
  const ms = (value: number) => `${Math.round(value)} ms`;
  return `${what}: ${sent} sent (${notOk.length} not 200), ${received} received; ${lost.length} lost, ${doubled.length} doubled; longest pause out ${ms(outPauseMs)}, in ${ms(inPauseMs)}; ${waited} sends waited over 500 ms, the longest ${ms(longestSendMs)}\n`;
}
