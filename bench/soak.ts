// A simulated day of one bridge at 24 times the speed. Memory per session must not grow, nothing may be lost, duplicated or stopped, and
// the counters must explain every event. Arguments: --minutes 60 --numbers 200 --messages 100000 --group 1024 --keep <folder for profiles>.
import { setTimeout as pause } from "node:timers/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { eventually } from "../test/support/eventually.ts";
import type { Memory } from "./soak/inspector.ts";
import { EventsOfTheDay } from "./soak/events-of-the-day.ts";
import { Ledger } from "./soak/ledger.ts";
import type { Counters } from "./soak/measured-bridge.ts";
import { openSoakedWorld } from "./soak/soaked-world.ts";
import { Traffic } from "./soak/traffic.ts";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    numbers: { type: "string", default: "200" },
    messages: { type: "string", default: "100000" },
    group: { type: "string", default: "1024" },
    /** Folder for CPU profiles of the restarts, and heap snapshots after the warm-up and at the end. */
    keep: { type: "string" },
  },
});
const [minutes, count, messages, groupSize] = [flags.minutes, flags.numbers, flags.messages, flags.group].map(Number) as [
  number,
  number,
  number,
  number,
];
/** A simulated day takes an hour. */
const FACTOR = 24;
const HOUR_MS = 3_600_000 / FACTOR;
/** The day has this many parts; a shorter run shortens each part. */
const PARTS = 24;
const SAMPLES = 60;
const QUIET_MS = 300_000;
const totalMs = minutes * 60_000;
const partMs = totalMs / PARTS;
const mb = (bytes: number): number => bytes / 1_048_576;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

say(
  `${count} numbers, ${messages} messages, a group of ${groupSize}, ${((minutes * FACTOR) / 60).toFixed(1)} simulated hours in ${minutes} minutes`,
);
const world = await openSoakedWorld(count, groupSize, FACTOR);
const { bridge, connections, network } = world;
say(
  `linked; the bridge without sessions: resident ${mb(world.empty.rss).toFixed(0)} MB, heap ${mb(world.empty.heapUsed).toFixed(0)} MB, external ${mb(world.empty.external).toFixed(0)} MB`,
);
try {
  const ledger = new Ledger(connections);
  const traffic = new Traffic(world, ledger, messages, totalMs);
  const day = new EventsOfTheDay(world, ledger, traffic, HOUR_MS);
  const startedAt = performance.now();
  const hourNow = (): number => (performance.now() - startedAt) / HOUR_MS;
  const over = (): boolean => performance.now() - startedAt >= totalMs;
  const keep = async (what: string, act: (file: string) => Promise<void>): Promise<void> => {
    if (flags.keep !== undefined) await act(join(flags.keep, what));
  };

  const restart = async (): Promise<void> => {
    await day.restartBridge(hourNow(), flags.keep === undefined ? null : join(flags.keep, `restart-${day.restarts.length + 1}.cpuprofile`));
    const { backMs, cpuSeconds } = day.restarts.at(-1)!;
    say(`  killed at ${hourNow().toFixed(1)} h: all back after ${(backMs / 1_000).toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU`);
  };
  const outage = async (begin: (hour: number, ms: number) => Promise<void>, parts: number): Promise<void> => {
    await begin(hourNow(), parts * partMs);
    const { what, backMs } = day.outages.at(-1)!;
    say(`  ${what} until ${hourNow().toFixed(1)} h: all back after ${(backMs / 1_000).toFixed(1)} s`);
  };
  const PLAN: readonly [part: number, act: () => Promise<void>][] = [
    [1, restart],
    [2, restart],
    [4, () => keep("warm.heapsnapshot", (file) => bridge.inspector.saveHeap(file))],
    [7, () => outage((hour, ms) => day.refuse(hour, ms), 1)],
    [11, () => outage((hour, ms) => day.killNetwork(hour, ms), 0.5)],
    [15, () => outage((hour, ms) => day.silence(hour, ms), 1)],
    [21.5, () => keep("end.heapsnapshot", (file) => bridge.inspector.saveHeap(file))],
    [22, restart],
  ];
  const runPlan = async (): Promise<void> => {
    for (const [part, act] of PLAN) {
      await pause(Math.max(0, startedAt + part * partMs - performance.now()));
      await act();
    }
  };

  const curve: { hour: number; restarts: number; memory: Memory }[] = [];
  say("  hour   resident       heap   external        per session   open   told    sent   delay p99");
  const sample = async (): Promise<void> => {
    ledger.read();
    const { restarts } = day;
    const seen = restarts.length;
    try {
      const memory = await bridge.inspector.memory();
      const { connected } = await bridge.health();
      if (seen === restarts.length) curve.push({ hour: hourNow(), restarts: seen, memory });
      const [rss, heap, external] = [memory.rss, memory.heapUsed, memory.external].map((bytes) =>
        `${mb(bytes).toFixed(0)} MB`.padStart(10),
      );
      const each = `${((memory.heapUsed + memory.external - world.empty.heapUsed - world.empty.external) / 1_024 / count).toFixed(0)} KB`;
      const delay = delayOf(await bridge.scrape());
      const figures = [connected, ledger.reportedMessages, traffic.done.sends.length].map((value) => String(value).padStart(7)).join("");
      say(`${hourNow().toFixed(1).padStart(6)} ${rss} ${heap} ${external} ${each.padStart(18)}${figures}   ${delay}`);
    } catch {
      say(`${hourNow().toFixed(1).padStart(6)}   the bridge is being restarted`);
    }
  };
  const takeSamples = async (): Promise<void> => {
    for (let n = 1; n <= SAMPLES; n += 1) {
      await pause(Math.max(0, (totalMs / SAMPLES) * n - (performance.now() - startedAt)));
      await sample();
    }
  };
  await Promise.all([traffic.run(over), day.recycleLines(over), runPlan(), takeSamples()]);

  const settledAll = (): boolean => {
    ledger.read();
    return ledger.lost().length === 0 && traffic.done.sends.every(({ id }) => ledger.settled.has(id));
  };
  await eventually("everything to be told", QUIET_MS, settledAll).catch(() => undefined);
  await eventually("all to be connected", QUIET_MS, async () => (await bridge.health()).connected === count).catch(() => undefined);
  await sample();
  await report(ledger, traffic, day, curve);
} finally {
  await world.dispose();
}
process.exit(0);

type Curve = { hour: number; restarts: number; memory: Memory }[];

async function report(ledger: Ledger, traffic: Traffic, day: EventsOfTheDay, curve: Curve): Promise<void> {
  const { sends, phoneSends, unsure } = traffic.done;
  const outcomes = new Map<string, number>();
  for (const { id } of sends) count1(outcomes, ledger.settled.get(id) ?? "killed with the bridge");
  const seen = await seenAtContacts(sends.filter(({ id, to }) => to.endsWith("@c.us") && ledger.settled.get(id) === "acknowledged"));
  const lost = ledger.lost();
  const doubled = ledger.doubled();
  const unread = ledger.unread();
  const { byCause, unexplained } = ledger.explained();
  const counters = await bridge.counters();
  const counted = sumOf(counters, "gateway_bridge_network_closes_total");
  const troubles = sumOf(counters, 'gateway_bridge_troubles_total{kind="close"');
  const { most_handshakes: peak, failed } = await network.call<{ most_handshakes: number; failed: Record<string, number> }>(
    "GET",
    "/stats",
  );
  const { connected } = await bridge.health();

  say(
    `\nphones sent ${phoneSends} (${unsure} of them when the network was ended); to be told ${ledger.awaited}, told ${ledger.reportedMessages}`,
  );
  say(`sends of numbers: ${[...outcomes].map(([outcome, times]) => `${outcome} ${times}`).join(", ")}`);
  say(`lost ${lost.length}, only a stand-in ${unread.length}, doubled ${doubled.length}, told again under the same key ${ledger.repeated}`);
  for (const one of lost.slice(0, 20)) say(`  lost: ${one.kind} ${one.id} at number ${one.number}`);
  for (const one of unread.slice(0, 20)) say(`  only a stand-in: ${one}`);
  for (const one of doubled.slice(0, 20)) say(`  doubled: ${one}`);
  say(`acknowledged sends that the contact does not show: ${seen.missing.length}, that it got twice: ${seen.twice}`);
  for (const one of seen.missing.slice(0, 20)) say(`  missing: ${one}`);
  say(`stopped ${ledger.stopped.length}${ledger.stopped.map((one) => `; ${one}`).join("")}; open at the end ${connected} of ${count}`);
  say(
    `closes ${ledger.closes.length}, counted by the bridge ${counted}, among its troubles ${troubles}; lines ended on purpose ${day.recycled}`,
  );
  say(`  linking: ${ledger.linked}`);
  for (const [cause, times] of byCause) say(`  ${cause}: ${times}`);
  say(`  unexplained: ${unexplained.length}`);
  for (const { number, code } of unexplained.slice(0, 20)) say(`    number ${number}, code ${code}`);
  for (const { hour, what, ms, backMs } of day.outages)
    say(`outage at ${hour.toFixed(1)} h, ${what} for ${(ms / HOUR_MS).toFixed(1)} h: all back after ${(backMs / 1_000).toFixed(1)} s`);
  for (const { hour, backMs, cpuSeconds } of day.restarts)
    say(`restart at ${hour.toFixed(1)} h: all back after ${(backMs / 1_000).toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU`);
  say(`handshakes at once, at most: ${peak}`);
  for (const [name, value] of counters)
    if (/_troubles_|_closes_|_opens_|_reconnects_|_redials_|_received_|_sends_|_transfers_/.test(name)) say(`  ${name} ${value}`);
  for (const [warning, times] of bridge.warnings) say(`  log: ${warning} ${times}`);
  for (const [what, times] of Object.entries(failed)) say(`  the network failed at: ${what} ${times}`);
  slopes(curve);
}

/** Checks that contacts show every acknowledged message exactly once. */
async function seenAtContacts(sends: readonly { id: string; to: string }[]): Promise<{ missing: string[]; twice: number }> {
  const shown = new Map<string, number>();
  for (const contact of world.contacts) {
    const { data } = await network.call<{ data: { message_id: string; duplicates: number }[] }>("GET", `/phones/${contact}/inbox`);
    for (const { message_id, duplicates } of data) shown.set(`${contact}@c.us ${message_id}`, duplicates);
  }
  const keys = sends.map(({ id, to }) => `${to} ${id}`);
  return { missing: keys.filter((key) => !shown.has(key)), twice: keys.filter((key) => (shown.get(key) ?? 0) > 0).length };
}

/** The memory growth of each bridge, from its second hour on. */
function slopes(curve: Curve): void {
  for (const restarts of new Set(curve.map((one) => one.restarts))) {
    const own = curve.filter((one) => one.restarts === restarts);
    const settled = own.filter(({ hour }) => hour >= own[0]!.hour + 2);
    const [first, last] = [settled[0], settled.at(-1)];
    if (first === undefined || last === undefined || last.hour - first.hour < 2) continue;
    const growth = (read: (memory: Memory) => number) =>
      ((read(last.memory) - read(first.memory)) / 1_024 / count / (last.hour - first.hour)).toFixed(2);
    say(
      `from ${first.hour.toFixed(1)} h to ${last.hour.toFixed(1)} h, KB per session and hour: heap ${growth((m) => m.heapUsed)}, external ${growth((m) => m.external)}, resident ${growth((m) => m.rss)}`,
    );
  }
}

function sumOf(counters: Counters, prefix: string): number {
  return [...counters].reduce((sum, [name, value]) => sum + (name.startsWith(prefix) ? value : 0), 0);
}

/** The bucket containing the 99th percentile of event loop delays. */
function delayOf(counters: Counters): string {
  const buckets = [...counters].flatMap(([name, value]) => {
    const bound = /^nodejs_eventloop_delay_seconds_bucket\{le="(.+)"\}$/.exec(name)?.[1];
    return bound === undefined ? [] : [{ bound, value }];
  });
  const total = buckets.at(-1)?.value ?? 0;
  return `${buckets.find(({ value }) => value >= total * 0.99)?.bound ?? "?"} s`;
}

function count1(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
