// Time from the phone's send to the webhook's arrival, compared with a bare Baileys client that POSTs immediately and stores nothing.
import { setTimeout as pause } from "node:timers/promises";
import { person, phones } from "../test/support/clients.ts";
import { Receiver } from "../test/support/receiver.ts";
import { clockOf, cpuMeter } from "./support/cpu-meter.ts";
import { type Load, runInTurn, percentile, print } from "./support/figures.ts";
import { loadFor } from "./support/timed-load.ts";
import { HttpPool, requestBytes } from "./support/http-pool.ts";
import { startRecipient } from "./support/recipient.ts";
import { startBenchSandbox } from "./support/bench-sandbox.ts";
import { endReport, figure, isShort, ratio } from "./support/report.ts";

const ROUNDS = isShort ? 9 : 15;
const ROUND_MS = 1_500;
const PER_SECOND = 20;
const STEADY_ROUNDS = 5;
const STEADY_SECONDS = isShort ? 1.5 : 3;
const PHONE_CONCURRENCY = 64;

const SENDER = "5511920000009";
const BARE = "5511920000001";
const JSON_BODY = { "content-type": "application/json" };

const bench = await startBenchSandbox();
const [ours, baseline] = await Promise.all([Receiver.start(), Receiver.start("any")]);
try {
  const ready = bench.sandbox.ready();
  const put = await (
    await person(ready)
  ).call("PUT", `/connections/${ready.demo.connection.id}/webhook`, { url: ours.url, events: ["message.received"] });
  if (put.status !== 201) throw new Error(`the webhook was refused: ${put.status}`);
  await phones(ready).create(SENDER, "Sender");

  const bare = await startRecipient(bench, BARE, baseline.url);
  const phonePool = await HttpPool.open(Number(new URL(ready.network_url ?? "").port), PHONE_CONCURRENCY);

  /** Sends one message from the phone to `to`; resolves to its arrival time once the webhook arrives. */
  const arrivals = (receiver: Receiver) => {
    const at = new Map<string, number>();
    const waiting = new Map<string, (time: number) => void>();
    receiver.reply = (received, response) => {
      response.writeHead(200).end();
      const { text } = (JSON.parse(received.body) as { data: { text: string } }).data;
      at.set(text, received.at);
      waiting.get(text)?.(received.at);
    };
    return (text: string) => new Promise<number>((resolve) => (at.has(text) ? resolve(at.get(text) ?? 0) : waiting.set(text, resolve)));
  };
  let serial = 0;
  const through = (to: string, arrival: (text: string) => Promise<number>) => async () => {
    const text = `m${(serial += 1)}`;
    const sentAt = performance.now();
    await phonePool.send(requestBytes("POST", `/phones/${SENDER}/send`, JSON_BODY, JSON.stringify({ to, text })));
    return (await arrival(text)) - sentAt;
  };
  const gateway = through(ready.demo.connection.phone ?? "", arrivals(ours));
  const plain = through(BARE, arrivals(baseline));
  for (let n = 0; n < 20; n += 1) await Promise.all([gateway(), plain()]);

  const { worker, bridge, network } = bench.ready.processes;
  const ourMeter = cpuMeter({ worker: clockOf(worker), bridge: clockOf(bridge), network: clockOf(network) });
  const bareMeter = cpuMeter({ bare: clockOf(bare.pid) });
  const loaded = await runInTurn(
    ROUNDS,
    () => ourMeter.during(loadFor(ROUND_MS, 32, gateway)),
    () => bareMeter.during(loadFor(ROUND_MS, 32, plain)),
  );
  print("phone → webhook, 32 in flight (aim: rate ratio >= 0.95)", loaded);
  ratio("rate_32", loaded.rate);
  for (const [name, ms] of Object.entries({ ...ourMeter.perCall(), ...bareMeter.perCall() })) {
    process.stdout.write(`  CPU time per message: ${name} ${ms.toFixed(2)} ms\n`);
    figure(`${name}_ms_32`, ms);
  }

  const steady = async (one: () => Promise<number>): Promise<Load> => {
    const startedAt = performance.now();
    const latencies: Promise<number>[] = [];
    for (let n = 0; n < PER_SECOND * STEADY_SECONDS; n += 1) {
      await pause(Math.max(0, (n / PER_SECOND) * 1_000 - (performance.now() - startedAt)));
      latencies.push(one());
    }
    const values = await Promise.all(latencies);
    return { rate: PER_SECOND, p50: percentile(values, 50), p99: percentile(values, 99) };
  };
  const calm = await runInTurn(
    STEADY_ROUNDS,
    () => steady(gateway),
    () => steady(plain),
  );
  print(`phone → webhook at ${PER_SECOND}/s (aim: gateway p50 <= 5 ms)`, calm);
  ratio("p50_steady", 1 / calm.p50);
  figure("p50_ms_steady", calm.ours.p50);
  endReport("inbound");
  phonePool.close();
  await bare.end();
} finally {
  await Promise.all([bench.sandbox.dispose(), ours.stop(), baseline.stop()]);
}
process.exit(0);
