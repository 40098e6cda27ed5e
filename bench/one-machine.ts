// A served gateway on the local network. Measures, by number of connected numbers, the memory, the CPU of an idle minute and the time until
// a restart is ready. Then it measures sends and received messages per second, the disk space for 100,000 messages (extrapolated), and a
// minute in which every number sends a message and receives one.
import { readFileSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { filesBelow } from "#root/server/backup/manifest.ts";
import { phones } from "../test/support/clients.ts";
import { eventually } from "../test/support/eventually.ts";
import { startLocalNetwork } from "../test/support/one-machine/network.ts";
import { type PairedNumber, pairNumber } from "../test/support/one-machine/paired-number.ts";
import { administrator, firstAdministrator, startServedGateway } from "../test/support/one-machine/served-gateway.ts";
import { processTree } from "../test/support/process-tree.ts";
import { Receiver } from "../test/support/receiver.ts";
import { ok } from "../test/support/replies.ts";
import { cpuMs } from "./support/cpu-time.ts";
import { load, type Load } from "./support/figures.ts";

const { values } = parseArgs({
  options: {
    counts: { type: "string", default: "1,50" },
    messages: { type: "string", default: "10000" },
  },
});
const COUNTS = values.counts.split(",").map(Number);
const MESSAGES = Number(values.messages);
const FRIEND = "5511920000000";
const SETTLE_MS = 10_000;
const CONCURRENT_PAIRINGS = 4;
/** Below the gateway's limit of 200 requests per number in ten seconds. */
const SENDS_PER_NUMBER = 150;
const SENDING_NUMBERS = 4;
const IN_FLIGHT = 32;
const MINUTE_MS = 60_000;

const network = await startLocalNetwork();
const receiver = await Receiver.start();
const gateway = await startServedGateway({
  ...network.settings,
  BACKUP_TIME: "off",
  BRIDGE_CAPACITY: "300",
  WEBHOOK_HOSTS: new URL(receiver.url).host,
});
const phone = phones(network);
const phoneOf = (n: number) => `55119201${String(n).padStart(5, "0")}`;
const say = (text: string) => process.stdout.write(`${text}\n`);
const shown = ({ rate, p50, p99 }: Load) => `${rate.toFixed(0)}/s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;

/** Proportional set size, which counts shared memory once. */
function memory(): string {
  const mbOf = (pid: number) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1_024;
  const { host, worker, bridge } = gateway.processes();
  const sum = (pid: number, except: readonly number[] = []) =>
    processTree(pid).reduce((mb, one) => (except.includes(one.pid) ? mb : mb + mbOf(one.pid)), 0);
  const below = [worker, bridge].flatMap((pid) => processTree(pid).map((one) => one.pid));
  const parts = { host: sum(host, below), worker: sum(worker), bridge: sum(bridge) };
  const text = Object.entries(parts).map(([name, mb]) => `${name} ${mb.toFixed(0)}`);
  return `${(parts.host + parts.worker + parts.bridge).toFixed(0)} MB (${text.join(", ")})`;
}

/** Asks the phones, one after another, because asking the gateway would slow it down. */
async function connected(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await eventually("all numbers are connected", 120_000, async () => {
      const { devices } = (await ok(phone.call("GET", `/phones/${phoneOf(n)}`))).data as { devices: { online: boolean }[] };
      return devices.some(({ online }) => online);
    });
  }
}

/** Returns the time until the gateway is ready, and until all numbers are connected. */
async function restart(count: number): Promise<string> {
  await gateway.stop();
  const startedAt = performance.now();
  await gateway.start();
  const readyMs = performance.now() - startedAt;
  await connected(count);
  return `ready after ${(readyMs / 1_000).toFixed(1)} s, all numbers connected after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}

/** Share of one core that the gateway uses while `act` runs. */
async function cpuDuring(act: () => Promise<unknown>): Promise<string> {
  const { host } = gateway.processes();
  const [before, startedAt] = [cpuMs(host), performance.now()];
  await act();
  return `${(((cpuMs(host) - before) / (performance.now() - startedAt)) * 100).toFixed(1)} % of a core`;
}

/** Each number sends a message and receives one, spread over a minute. */
async function twoMessagesEach(numbers: readonly PairedNumber[]): Promise<void> {
  const startedAt = performance.now();
  const running: Promise<unknown>[] = [];
  for (const [n, { api }] of numbers.entries()) {
    running.push(ok(api.text(FRIEND, `minute ${n}`)), phone.send(FRIEND, { to: phoneOf(n), text: `message ${n} of the minute` }));
    await pause(startedAt + ((n + 1) * MINUTE_MS) / numbers.length - performance.now());
  }
  await Promise.all(running);
}

const storedBytes = () =>
  filesBelow(join(gateway.data, "storage")).reduce((sum, file) => sum + statSync(join(gateway.data, "storage", file)).size, 0);

try {
  await phone.create(FRIEND, "Friend");
  await ok(phone.call("PATCH", `/phones/${FRIEND}`, { reply: null }));
  await firstAdministrator(gateway);
  const numbers: PairedNumber[] = [];
  say(`${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`);
  for (const count of COUNTS) {
    // Signs in once for each count, because sign-ins are limited and a token is valid only for a short time.
    const { dashboard } = await administrator(gateway);
    while (numbers.length < count) {
      const next = Array.from({ length: Math.min(CONCURRENT_PAIRINGS, count - numbers.length) }, (_, n) => phoneOf(numbers.length + n));
      numbers.push(...(await Promise.all(next.map((number) => pairNumber(gateway, network, dashboard, number)))));
    }
    await pause(SETTLE_MS);
    say(`${count} numbers: ${memory()}`);
    say(`an idle minute: ${await cpuDuring(() => pause(MINUTE_MS))}`);
    say(`a restart: ${await restart(count)}`);
    await pause(SETTLE_MS);
    say(`${count} numbers after a restart: ${memory()}`);
  }

  const senders = numbers.slice(0, SENDING_NUMBERS);
  const sent = await load(senders.length * SENDS_PER_NUMBER, 16, async (n) => {
    await ok(senders[n % senders.length]?.api.text(FRIEND, `send ${n}`) ?? Promise.reject(new Error("no number")));
  });
  say(`sends to the network's acknowledgement, ${senders.length} numbers, 16 at once: ${shown(sent)}`);

  const { dashboard } = await administrator(gateway);
  for (const { id } of senders)
    await ok(dashboard("PUT", `/connections/${id}/webhook`, { url: receiver.url, events: ["message.received"] }), 201);
  await gateway.stop();
  const before = storedBytes();
  await gateway.start();
  await connected(numbers.length);
  const startedAt = performance.now();
  await load(MESSAGES, IN_FLIGHT, (n) => phone.send(FRIEND, { to: phoneOf(n % senders.length), text: `message ${n} of a customer` }));
  await eventually("all webhooks", 600_000, () => receiver.received.length >= MESSAGES);
  const seconds = (performance.now() - startedAt) / 1_000;
  say(`received, from phone to webhook, ${senders.length} numbers: ${(MESSAGES / seconds).toFixed(0)}/s over ${MESSAGES} messages`);
  say(`after that: ${memory()}`);
  await gateway.stop();
  const perMessage = (storedBytes() - before) / MESSAGES;
  await gateway.start();
  say(
    `disk: ${perMessage.toFixed(0)} bytes per received message with its delivery, so ${(perMessage / 10).toFixed(0)} MB per 100,000 (extrapolated)`,
  );
  await connected(numbers.length);
  say(`two messages a minute of each of ${numbers.length} numbers: ${await cpuDuring(() => twoMessagesEach(numbers))}, ${memory()}`);
} finally {
  await gateway.dispose();
  await receiver.stop();
  await network.stop();
}
process.exit(0);
