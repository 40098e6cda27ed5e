// The platform's list prices in USD, before free allowances, and the cost of given counts. Paths are on developers.cloudflare.com.

/** The year in which the prices were read, from stored copies of the pages. A third party's price for the machine may vary. */
export const PRICES_READ = "2026";

export const PRICES = {
  /** Price of the Workers Paid plan per month (/workers/platform/pricing). */
  planMonth: 5,
  /** Prices per million rows (/durable-objects/platform/pricing, /d1/platform/pricing). `setAlarm` and deletions count as rows written. */
  rowsWritten: 1,
  rowsRead: 0.001,
  /** Price per million requests: calls, alarms, and socket frames, 20 of which count as one (/durable-objects/platform/pricing). */
  objectRequests: 0.15,
  framesPerRequest: 20,
  /** Price per million seconds of an object with 128 MB. The same page lists $12.50 per million GB-s. */
  objectSeconds: 12.5 * 0.128,
  /** Prices per million requests and per million ms of CPU (/workers/platform/pricing). */
  workerRequests: 0.3,
  workerCpuMs: 0.02,
  /** Price per million log lines (/workers/observability/logs). */
  logLines: 0.6,
  /** Prices per second, for provisioned memory and disk and for used CPU (/containers/platform/pricing). */
  containerGib: 2.5e-6,
  containerGb: 7e-8,
  containerVcpu: 2e-5,
} as const;

/** Assumptions that no test can measure, such as how long slow responses keep an object awake, and the worker's CPU time per call. */
export const ASSUMED = {
  inboundSeconds: 0.25,
  sendSeconds: 1,
  deliverySeconds: 0.2,
  readSeconds: 0.01,
  alarmSeconds: 0.01,
  callCpuMs: 2,
  /** The share of inbound messages that find their object hibernating. */
  asleep: 0.5,
  /** The sampled share of routine log lines (LOG_SAMPLE). */
  logShare: 0.01,
  /** The sessions that a bridge can hold, the share of them in use, and the bridge's CPU use in vCPU. */
  sessionsPerBridge: 150,
  fill: 0.8,
  bridgeVcpu: 0.05,
  /** Monthly price in USD, and sessions, of a rented machine with 16 vCPU and 32 GB. Double the price for a spare machine and staff. */
  machineDollars: 28.5,
  machineSessions: 4_200,
} as const;

export const MONTH_SECONDS = 30 * 24 * 3_600;

/** Monthly price of one bridge's container, and of the object that supervises it. */
export function containerMonth(gib: number, gb: number): { machine: number; object: number } {
  const perSecond = gib * PRICES.containerGib + gb * PRICES.containerGb + ASSUMED.bridgeVcpu * PRICES.containerVcpu;
  return { machine: perSecond * MONTH_SECONDS, object: (MONTH_SECONDS / 1e6) * PRICES.objectSeconds };
}

/** One operation's counts: those in `Cost` (test/worker/scale/costs.ts), and assumed values. */
export type Priced = {
  written: number;
  read: number;
  alarms: number;
  rung: number;
  d1Written: number;
  d1Read: number;
  requests: number;
  frames: number;
  lines: number;
  seconds: number;
  workerCalls: number;
};

export function dollarsPerMillion(priced: Priced, logShare: number = ASSUMED.logShare): number {
  return (
    PRICES.rowsWritten * (priced.written + priced.alarms + priced.d1Written) +
    PRICES.rowsRead * (priced.read + priced.d1Read) +
    PRICES.objectRequests * (priced.requests + priced.rung + priced.frames / PRICES.framesPerRequest) +
    PRICES.objectSeconds * priced.seconds +
    PRICES.logLines * priced.lines * logShare +
    priced.workerCalls * (PRICES.workerRequests + PRICES.workerCpuMs * ASSUMED.callCpuMs)
  );
}
