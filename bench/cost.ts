// Costs of messages, reads and idle numbers, measured in workerd by test/worker/scale and priced by tools/cost/prices.ts. Fails if a count
// exceeds the ledger.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { estimate } from "../tools/cost/estimate.ts";
import { ASSUMED, containerMonth, dollarsPerMillion, PRICES, PRICES_READ, type Priced } from "../tools/cost/prices.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TEST = "test/worker/scale/message-costs.endurance.test.ts";
/** Same as `TOGETHER` and `UNTIL_PURGED_MS` in test/worker/scale/costs.ts. */
const [INBOUND_TOGETHER, SENDS_TOGETHER, IDLE_DAYS] = [8, 4, 41];

type Counted = Omit<Priced, "seconds" | "workerCalls"> & { d1: number };
type Line = { what: string; cost: Counted; tables: Record<string, number> };

const ran = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.endurance.config.ts", "--project", "worker", "--silent=false", TEST],
  {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    maxBuffer: 1 << 28,
  },
);
const lines = [...ran.stdout.matchAll(/^cost: (\{.*\})$/gm)].map(([, json = ""]) => JSON.parse(json) as Line);
const byName = new Map(lines.map((line) => [line.what, line]));
const costOf = (what: string): Counted => {
  const line = byName.get(what);
  if (line === undefined) throw new Error(`${what} was not counted:\n${ran.stdout.slice(-3000)}\n${ran.stderr.slice(-3000)}`);
  return line.cost;
};

/** Combines two counts field by field. */
const join = (one: Counted, other: Counted, by: (a: number, b: number) => number): Counted =>
  Object.fromEntries(Object.keys(one).map((key) => [key, by(one[key as keyof Counted], other[key as keyof Counted])])) as Counted;
const plus = (one: Counted, other: Counted) => join(one, other, (a, b) => a + b);
const minus = (one: Counted, other: Counted) => join(one, other, (a, b) => Math.max(0, a - b));
const times = (one: Counted, factor: number) => join(one, one, (a) => a * factor);

const idle = costOf("as long, idle");
const laterInbound = times(minus(costOf("later, inbound"), idle), 1 / INBOUND_TOGETHER);
const laterSend = times(minus(costOf("later, sends"), idle), 1 / SENDS_TOGETHER);
const inbound = plus(times(costOf("inbound"), 1 - ASSUMED.asleep), times(costOf("woken inbound"), ASSUMED.asleep));
const tableOf = (what: string, table: string): number => byName.get(what)?.tables[table] ?? 0;
const deleted = (tableOf("later, inbound", "delivery") + tableOf("later, inbound", "body")) / INBOUND_TOGETHER;
// A new receiver's first success is recorded once, so it is not part of the cost of later messages.
const further = minus(costOf("inbound, two receivers"), {
  ...costOf("inbound"),
  written: costOf("inbound").written + tableOf("inbound, two receivers", "endpoint"),
});

const MESSAGES: [string, Counted, Counted | null, { seconds: number; workerCalls: number }][] = [
  ["inbound, one webhook", inbound, laterInbound, { seconds: ASSUMED.inboundSeconds, workerCalls: 0 }],
  ["text send, three deliveries", costOf("send"), laterSend, { seconds: ASSUMED.sendSeconds, workerCalls: 1 }],
  ["further delivery", further, { ...times(laterInbound, 0), written: deleted }, { seconds: ASSUMED.deliverySeconds, workerCalls: 0 }],
  ["cached read, alone", costOf("cached read"), null, { seconds: ASSUMED.readSeconds, workerCalls: 1 }],
  ["uncached read, alone", costOf("uncached read"), null, { seconds: ASSUMED.readSeconds, workerCalls: 1 }],
];

const say = (text: string) => process.stdout.write(`${text}\n`);
const number = (value: number) => String(Number(value.toFixed(2)));
const dollars = (value: number) => `$${value.toFixed(2)}`;
const row = (cells: readonly string[]) => say(`| ${cells.join(" | ")} |`);

say(`list prices of ${PRICES_READ}, before free allowances; ${JSON.stringify(PRICES)}`);
say(`assumed: ${JSON.stringify(ASSUMED)}\n`);
row([
  "one",
  "rows written",
  "read",
  "alarms set",
  "D1 statements",
  "D1 rows",
  "object requests",
  "seconds awake",
  "log lines",
  "$ per million",
  "of these later",
]);
row(Array.from({ length: 11 }, () => "---"));
const dollarsOf: Record<string, number> = {};
for (const [what, now, later, assumed] of MESSAGES) {
  const zero = times(now, 0);
  const after = later ?? zero;
  const all = plus(now, after);
  const seconds = assumed.seconds + all.rung * ASSUMED.alarmSeconds;
  const total = dollarsPerMillion({ ...all, seconds, workerCalls: assumed.workerCalls });
  dollarsOf[what] = total;
  const laterDollars = dollarsPerMillion({ ...after, seconds: after.rung * ASSUMED.alarmSeconds, workerCalls: 0 });
  const requests = all.requests + all.rung + all.frames / PRICES.framesPerRequest;
  row([
    what,
    `${number(now.written)} + ${number(after.written)}`,
    number(all.read),
    number(all.alarms),
    number(all.d1),
    number(all.d1Written),
    number(requests),
    number(seconds),
    number(all.lines),
    dollars(total),
    dollars(laterDollars),
  ]);
}
say("\n`a + b` rows: at once, and until all that expires is deleted (of an hour of 8 messages in or 4 sends, beside an idle number).\n");

const idleMonth = times(idle, 30 / IDLE_DAYS);
const ownRows = dollarsPerMillion({ ...idleMonth, seconds: idleMonth.rung * ASSUMED.alarmSeconds, workerCalls: 0 }) / 1_000;
const bridges = 1_000 / (ASSUMED.sessionsPerBridge * ASSUMED.fill);
row(["1,000 idle numbers, a month", "machines", "container objects", "their own rows and alarms", "sum"]);
row(Array.from({ length: 5 }, () => "---"));
for (const [name, gib, gb] of [
  ["standard-1", 4, 8],
  ["basic", 1, 4],
] as const) {
  const { machine, object } = containerMonth(gib, gb);
  row([name, dollars(bridges * machine), dollars(bridges * object), dollars(ownRows), dollars(bridges * (machine + object) + ownRows)]);
}
const rented = (1_000 / ASSUMED.machineSessions) * ASSUMED.machineDollars;
row(["external, on rented machines", dollars(rented), dollars(0), dollars(ownRows), dollars(rented + ownRows)]);
say(
  `\nan idle number and day: ${number(idle.written / IDLE_DAYS)} rows, ${number(idle.alarms / IDLE_DAYS)} alarms set, ${number(idle.d1 / IDLE_DAYS)} statements of D1; an idle hour: ${costOf("idle hour").written} rows, ${costOf("idle hour").rung} alarms`,
);

const { received, sent } = estimate("cloudflare");
/** True if one of the prices that `npm run setup` shows to the operator is more than 5 % off. */
const isOff = (counted: number | undefined, said: number) => counted === undefined || Math.abs(counted - said) > said / 20;
if (isOff(dollarsOf["inbound, one webhook"], received) || isOff(dollarsOf["text send, three deliveries"], sent)) {
  say(`\ntools/cost/estimate.ts is more than 5 % off: it says ${dollars(received)} and ${dollars(sent)}`);
  process.exitCode = 1;
}

if (ran.status !== 0) {
  say(
    `\na count is above the ledger (test/worker/scale/ledger.ts):\n${[...ran.stdout.matchAll(/^AssertionError: .{0,300}/gm)].join("\n")}`,
  );
  process.exit(1);
}
