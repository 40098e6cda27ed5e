// Measures when waiting sends are sent: 1,000 sends of one number due in the same second, as fast as possible and with a gap, and ten sends
// each of 100 numbers. The times are those of the `message.sent` webhooks, so each includes a delivery.
import { type PairedConnection, pairConnection } from "../test/support/paired-connection.ts";
import { phones } from "../test/support/clients.ts";
import { Receiver } from "../test/support/receiver.ts";
import { startBenchSandbox } from "./support/bench-sandbox.ts";
import { median } from "./support/figures.ts";
import { endReport, figure, isShort } from "./support/report.ts";

const [OF_ONE, NUMBERS, OF_EACH] = isShort ? [200, 10, 10] : [1_000, 100, 10];
const CHATS = 50;
const GAP_MS = 50;
const PARALLEL_PAIRINGS = 4;
const PARALLEL_CALLS = 16;
/** Time between acceptance and the common due time. */
const AHEAD_MS = 5_000;
const GIVE_UP_MS = 300_000;

const bench = await startBenchSandbox();
const receiver = await Receiver.start("any");
try {
  const network = phones(bench.ready);
  const people = Array.from({ length: CHATS }, (_, n) => String(5_511_940_000_000 + n));
  for (const phone of people) await network.create(phone, "Person");
  const one = await number(0);
  await scenario("one", `${OF_ONE} of one number, no gap`, 0, [{ number: one, count: OF_ONE }], people);
  await one.owner.call("PATCH", `/connections/${one.id}`, { settings: { pacing: { min_gap_ms: GAP_MS } } });
  await scenario("gap", `${OF_ONE} of one number, ${GAP_MS} ms apart`, GAP_MS, [{ number: one, count: OF_ONE }], people);
  const numbers: PairedConnection[] = [];
  for (let n = 1; n <= NUMBERS; n += PARALLEL_PAIRINGS)
    numbers.push(
      ...(await Promise.all(Array.from({ length: Math.min(PARALLEL_PAIRINGS, NUMBERS - n + 1) }, (_, more) => number(n + more)))),
    );
  const each = numbers.map((each) => ({ number: each, count: OF_EACH }));
  await scenario("many", `${OF_EACH} each of ${NUMBERS} numbers, no gap`, 0, each, people);
  endReport("waiting");
} finally {
  await Promise.all([bench.sandbox.dispose(), receiver.stop()]);
}
process.exit(0);

async function number(n: number): Promise<PairedConnection> {
  const paired = await pairConnection(bench.ready, String(5_511_950_000_000 + n), { name: `Number ${n}` });
  const { status } = await paired.owner.call("PUT", `/connections/${paired.id}/webhook`, { url: receiver.url, events: ["message.sent"] });
  if (status !== 201) throw new Error(`the webhook answered ${status}`);
  return paired;
}

type Sender = { number: PairedConnection; count: number };

async function scenario(key: string, name: string, gapMs: number, senders: readonly Sender[], people: readonly string[]): Promise<void> {
  const texts = new Set<string>();
  const calls = senders.flatMap(({ number, count }, index) =>
    Array.from({ length: count }, (_, n) => ({ number, text: `${key} ${index} ${n}`, to: people[(index + n) % people.length] })),
  );
  // Each send is first scheduled far ahead, because nobody knows how long it takes until all are accepted.
  const acceptedAt = performance.now();
  const ids = await inTurn(calls, async ({ number, text, to }) => {
    const delivery = { at: Math.ceil(Date.now() / 1000) + 3_600 };
    const { status, body } = await number.api.call("POST", "/messages/text", { to, text, delivery });
    if (status !== 202) throw new Error(`a send answered ${status}: ${JSON.stringify(body)}`);
    texts.add(text);
    return { number, id: body.message_id as string };
  });
  const acceptMs = (performance.now() - acceptedAt) / calls.length;
  const leadMs = AHEAD_MS + acceptMs * calls.length * 1.5;
  const at = Math.ceil((Date.now() + leadMs) / 1000);
  await inTurn(ids, async ({ number, id }) => {
    const { status, body } = await number.api.call("PATCH", `/messages/waiting/${id}`, { at });
    if (status !== 200) throw new Error(`a change answered ${status}: ${JSON.stringify(body)}`);
  });
  const dueAt = performance.now() + (at * 1000 - Date.now());
  if (performance.now() > dueAt) throw new Error("the changes took too long");
  const arrived = await arrivals(texts);
  const lates = arrived.map((time) => time - dueAt).toSorted((a, b) => a - b);
  const lastMs = lates.at(-1) ?? 0;
  // The delay in addition to the pace, which is the gap or, without one, the rate that this machine reached.
  const gap = gapMs > 0 ? gapMs : lastMs / (calls.length / senders.length);
  const beyond = Math.max(...lates.map((ms, n) => ms - Math.floor(n / senders.length) * gap));
  const ms = (value: number) => `${Math.round(value)} ms`;
  process.stdout.write(
    `${name}: accepted in ${acceptMs.toFixed(1)} ms each; first ${ms(lates[0] ?? 0)} after its time, median ${ms(median(lates))}, ` +
      `last ${ms(lastMs)} (${((calls.length * 1000) / lastMs).toFixed(0)}/s); at most ${ms(beyond)} beyond the pace; ` +
      `${arrived.length} of ${calls.length} once each\n`,
  );
  figure(`${key}_first_ms`, lates[0] ?? 0);
  figure(`${key}_last_ms`, lastMs);
  figure(`${key}_beyond_ms`, beyond);
}

/** Resolves to the times at which the texts' webhooks arrived. */
async function arrivals(texts: ReadonlySet<string>): Promise<number[]> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    const found = receiver.received.flatMap(({ body, at }) => {
      const text = /"text":"([^"]*)"/.exec(body)?.[1] ?? "";
      return texts.has(text) ? [{ text, at }] : [];
    });
    if (found.length > new Set(found.map(({ text }) => text)).size) throw new Error("one was sent twice");
    if (found.length === texts.size) return found.map(({ at }) => at);
    if (performance.now() > giveUpAt) throw new Error(`${found.length} of ${texts.size} arrived`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function inTurn<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await run(items[index] as T);
  };
  await Promise.all(Array.from({ length: PARALLEL_CALLS }, worker));
  return results;
}
