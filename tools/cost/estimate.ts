// Estimates a deployment's cost, for `npm run setup` and its price page (docs/internals/costs.md, "Cost of a message").
import { ASSUMED, containerMonth, dollarsPerMillion, PRICES, type Priced } from "./prices.ts";

/** Counts for one message until all of its data has expired. `npm run bench:cost` fails if the prices differ. */
const MESSAGE = {
  received: {
    written: 12.1,
    read: 316,
    alarms: 1.63,
    rung: 0.5,
    d1Written: 1.63,
    d1Read: 0,
    requests: 0,
    frames: 1,
    lines: 1,
    seconds: 0.255,
    workerCalls: 0,
  },
  sent: {
    written: 32.3,
    read: 470,
    alarms: 1.25,
    rung: 1,
    d1Written: 2.25,
    d1Read: 0,
    requests: 1,
    frames: 5,
    lines: 3,
    seconds: 1.01,
    workerCalls: 1,
  },
} satisfies Record<string, Priced>;

/** Monthly dollars for the rows and alarms of 1,000 idle numbers, also measured by `npm run bench:cost`. */
const IDLE_NUMBERS = 0.1;

/** GiB of memory and GB of disk for `instance_type = "basic"` in wrangler.toml. */
const BASIC = { gib: 1, gb: 4 };

export type Estimate = {
  plan: number;
  container: number;
  numbers: number;
  received: number;
  sent: number;
};

/** `numbers` is the cost of 1,000 numbers. External bridges run on rented machines. */
export function estimate(bridge: "cloudflare" | "external"): Estimate {
  const { machine, object } = containerMonth(BASIC.gib, BASIC.gb);
  const containers = (1_000 / (ASSUMED.sessionsPerBridge * ASSUMED.fill)) * (machine + object);
  const rented = (1_000 / ASSUMED.machineSessions) * ASSUMED.machineDollars;
  return {
    plan: PRICES.planMonth,
    container: bridge === "cloudflare" ? machine + object : 0,
    numbers: IDLE_NUMBERS + (bridge === "cloudflare" ? containers : rented),
    received: dollarsPerMillion(MESSAGE.received),
    sent: dollarsPerMillion(MESSAGE.sent),
  };
}
