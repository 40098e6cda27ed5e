// One number under a steady load of sends, received messages and reads, beside idle numbers. Prints the latencies and the processes' memory
// per minute, and at the end what was lost or duplicated.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { person, phones } from "../test/support/clients.ts";
import { pairConnection } from "../test/support/paired-connection.ts";
import { processTree } from "../test/support/process-tree.ts";
import { Receiver } from "../test/support/receiver.ts";
import { startBenchSandbox } from "./support/bench-sandbox.ts";
import { percentile } from "./support/figures.ts";
import { HttpPool, requestBytes } from "./support/http-pool.ts";
import { endReport, figure, isShort } from "./support/report.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: isShort ? "0.5" : "10" },
    idle: { type: "string", default: isShort ? "10" : "200" },
    json: { type: "boolean" },
    short: { type: "boolean" },
  },
});
const SECONDS = Number(values.minutes) * 60;
const IDLE = Number(values.idle);
const PER_SECOND = 20;
const CONCURRENT_PAIRINGS = 4;
const CONNECTIONS = 256;
const GIVE_UP_MS = 60_000;
const FRIEND = "5511960000000";
const JSON_BODY = { "content-type": "application/json" };

const bench = await startBenchSandbox();
const receiver = await Receiver.start();
try {
  const { app_url, network_url, demo, processes } = bench.ready;
  const network = phones(bench.ready);
  await network.create(FRIEND, "Friend");
  await network.call("PATCH", `/phones/${FRIEND}`, { reply: null });
  for (let n = 0; n < IDLE; n += CONCURRENT_PAIRINGS)
    await Promise.all(
      Array.from({ length: Math.min(CONCURRENT_PAIRINGS, IDLE - n) }, (_, more) =>
        pairConnection(bench.ready, String(5_511_961_000_000 + n + more), { name: `Idle ${n + more}` }),
      ),
    );
  const owner = await person(bench.ready);
  const put = await owner.call("PUT", `/connections/${demo.connection.id}/webhook`, { url: receiver.url, events: ["message.received"] });
  if (put.status !== 201) throw new Error(`the webhook was refused: ${put.status}`);

  const gateway = await HttpPool.open(Number(new URL(app_url).port), CONNECTIONS);
  const phone = await HttpPool.open(Number(new URL(network_url ?? "").port), CONNECTIONS);
  const key = { "x-api-key": demo.connection.api_key };
  const read = requestBytes("GET", `/api/v1/chats/${FRIEND}%40c.us/messages?limit=20`, key);
  const arrivals = new Map<string, number[]>();
  receiver.reply = ({ body, at }, response) => {
    response.writeHead(200).end();
    const { text } = (JSON.parse(body) as { data: { text: string } }).data;
    arrivals.set(text, [...(arrivals.get(text) ?? []), at]);
  };
  const sentFromPhone = new Map<string, number>();
  const acts = {
    send: (n: number) => {
      const body = JSON.stringify({ to: FRIEND, text: `sent ${n}` });
      return answered(gateway, requestBytes("POST", "/api/v1/messages/text", { ...key, ...JSON_BODY }, body));
    },
    read: () => answered(gateway, read),
    inbound: (n: number) => {
      sentFromPhone.set(`received ${n}`, performance.now());
      const body = JSON.stringify({ to: demo.connection.phone, text: `received ${n}` });
      return answered(phone, requestBytes("POST", `/phones/${FRIEND}/send`, JSON_BODY, body));
    },
  };
  await acts.send(-1);

  const latencies = { send: [] as number[], read: [] as number[] };
  const running = new Set<Promise<void>>();
  const start = (name: keyof typeof acts, n: number): void => {
    const at = performance.now();
    const act = acts[name](n).then(() => void (name !== "inbound" && latencies[name].push(performance.now() - at)));
    running.add(act);
    void act.finally(() => running.delete(act)).catch(() => undefined);
    act.catch(fail);
  };
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const startedAt = performance.now();
  const total = SECONDS * PER_SECOND;
  const minute = 60 * PER_SECOND;
  process.stdout.write(`${IDLE} idle numbers; at the start ${memory()}\n`);
  for (let n = 0; n < total; n += 1) {
    await Promise.race([pause(Math.max(0, (n / PER_SECOND) * 1_000 - (performance.now() - startedAt))), failed]);
    for (const name of ["send", "inbound", "read"] as const) start(name, n);
    if ((n + 1) % minute === 0) process.stdout.write(`minute ${(n + 1) / minute}: ${report(minute)}; ${memory()}\n`);
  }
  await Promise.race([Promise.all(running), failed]);
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (arrivals.size < total && performance.now() < giveUpAt) await pause(100);

  const inbox = (await network.inbox(FRIEND)) as { text?: string }[];
  const sentTexts = inbox.map(({ text }) => text ?? "").filter((text) => /^sent \d+$/.test(text));
  const extra = [...arrivals.values()].reduce((sum, times) => sum + times.length - 1, 0);
  process.stdout.write(
    `all: ${report(total)}; sends ${new Set(sentTexts).size} of ${total} arrived, ${sentTexts.length - new Set(sentTexts).size} twice; ` +
      `webhooks ${arrivals.size} of ${total}, ${extra} twice; at the end ${memory()}\n`,
  );
  figure("send_p50_ms", percentile(latencies.send, 50));
  figure("send_p99_ms", percentile(latencies.send, 99));
  figure("read_p99_ms", percentile(latencies.read, 99));
  figure("inbound_p99_ms", percentile(inboundMs(), 99));
  endReport("steady");
  gateway.close();
  phone.close();

  function inboundMs(last = Infinity): number[] {
    const all = [...arrivals].map(([text, [at]]) => (at ?? Number.NaN) - (sentFromPhone.get(text) ?? Number.NaN));
    return all.slice(-last);
  }

  /** p50 and p99 of the last `count` of each kind, in ms. */
  function report(count: number): string {
    const kinds = { sends: latencies.send.slice(-count), received: inboundMs(count), reads: latencies.read.slice(-count) };
    return Object.entries(kinds)
      .map(([name, ms]) => `${name} p50 ${percentile(ms, 50).toFixed(1)}, p99 ${percentile(ms, 99).toFixed(1)} ms`)
      .join(", ");
  }

  /** Proportional set size, which counts shared memory once. */
  function memory(): string {
    const mb = (pid: number): number =>
      processTree(pid).reduce((sum, one) => {
        const pss = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one.pid}/smaps_rollup`, "utf8"))?.[1];
        return sum + Number(pss ?? 0) / 1_024;
      }, 0);
    return `worker ${mb(processes.worker).toFixed(0)} MB, bridge ${mb(processes.bridge).toFixed(0)} MB`;
  }
} finally {
  await Promise.all([bench.sandbox.dispose(), receiver.stop()]);
}
process.exit(0);

async function answered(pool: HttpPool, request: Buffer): Promise<void> {
  const { status } = await pool.send(request);
  if (status >= 300) throw new Error(`a request was answered with ${status}`);
}
