// List prices of the platform in USD, before free allowances, and what they make of counts. Pages are below developers.cloudflare.com.

/** When the pages were read, in stored copies of that year; the machine's price is a third party's and moves. */
export const PRICES_READ = "2026";

export const PRICES = {
  /** /workers/platform/pricing: the Workers Paid plan, a month. */
  planMonth: 5,
  /** /durable-objects/platform/pricing and /d1/platform/pricing, per million; `setAlarm` and a deletion are rows too. */
  rowsWritten: 1,
  rowsRead: 0.001,
  /** /durable-objects/platform/pricing, per million: calls, alarms, and 20 frames of a socket as one. */
  objectRequests: 0.15,
  framesPerRequest: 20,
  /** The same page: $12.50 per million GB-s, at 128 MB. */
  objectSeconds: 12.5 * 0.128,
  /** /workers/platform/pricing, per million requests and per million ms of CPU. */
  workerRequests: 0.3,
  workerCpuMs: 0.02,
  /** /workers/observability/logs, per million lines. */
  logLines: 0.6,
  /** /containers/platform/pricing: memory and disk as provisioned, CPU as used; per second. */
  containerGib: 2.5e-6,
  containerGb: 7e-8,
  containerVcpu: 2e-5,
} as const;

/** What no test can count. Seconds in which an object is held awake, by answers of the outside; ms of CPU of a call in the worker. */
export const ASSUMED = {
  inboundSeconds: 0.25,
  sendSeconds: 1,
  deliverySeconds: 0.2,
  readSeconds: 0.01,
  alarmSeconds: 0.01,
  callCpuMs: 2,
  /** Of the messages that come in so many find their object asleep. */
  asleep: 0.5,
  /** Of the lines of normal operation (LOG_SAMPLE). */
  logShare: 0.01,
  /** A bridge: sessions, and how full it is; CPU that it uses, in vCPU. */
  sessionsPerBridge: 150,
  fill: 0.8,
  bridgeVcpu: 0.05,
  /** A rented machine of 16 vCPU and 32 GB: USD a month, and sessions on it. Twice that with a spare and hands. */
  machineDollars: 28.5,
  machineSessions: 4_200,
} as const;

export const MONTH_SECONDS = 30 * 24 * 3_600;

/** Of the container of one bridge for a month, with the object that watches it. */
export function containerMonth(gib: number, gb: number): { machine: number; object: number } {
  const perSecond = gib * PRICES.containerGib + gb * PRICES.containerGb + ASSUMED.bridgeVcpu * PRICES.containerVcpu;
  return { machine: perSecond * MONTH_SECONDS, object: (MONTH_SECONDS / 1e6) * PRICES.objectSeconds };
}

/** Counts of one thing: as `Cost` in test/worker/scale/costs.ts, and what is assumed. */
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

/** Dollars for a million of it. */
export function dollarsPerMillion(of: Priced, logShare: number = ASSUMED.logShare): number {
  return (
    PRICES.rowsWritten * (of.written + of.alarms + of.d1Written) +
    PRICES.rowsRead * (of.read + of.d1Read) +
    PRICES.objectRequests * (of.requests + of.rung + of.frames / PRICES.framesPerRequest) +
    PRICES.objectSeconds * of.seconds +
    PRICES.logLines * of.lines * logShare +
    of.workerCalls * (PRICES.workerRequests + PRICES.workerCpuMs * ASSUMED.callCpuMs)
  );
}
