// What each thing costs at most, counted by `message-costs.test.ts`. Exact counts: whoever makes one fall changes it here by hand, and
// nothing may make one rise.

export type Cost = { written: number; alarms: number; d1: number; requests: number; frames: number; lines: number };

/** An inbound text and a text sent by the API (acknowledged, delivered, read), with one webhook for all events. */
export const LEDGER: Record<"inbound" | "woken inbound" | "send", Cost> = {
  inbound: { written: 12, alarms: 0, d1: 0, requests: 0, frames: 1, lines: 1 },
  "woken inbound": { written: 12, alarms: 2, d1: 0, requests: 0, frames: 1, lines: 1 },
  send: { written: 33, alarms: 0, d1: 0, requests: 1, frames: 5, lines: 3 },
};
