import type { FromBridgeControl } from "@gateway/protocol/bridge-socket.ts";

export type Load = Extract<FromBridgeControl, { type: "load" }>;

const SHARE = 0.1;
/** Share of one core; the CPU use of an idle process fluctuates by large factors. */
const CPU = 0.1;

export function hasChanged(before: Load, now: Load): boolean {
  if (Math.abs(before.cpu - now.cpu) > CPU) return true;
  if (isFar(before.sessions, now.sessions) || isFar(before.rss_mb, now.rss_mb) || isFar(before.away, now.away)) return true;
  const announced = ({ client_version, served_version }: Load): string => JSON.stringify([client_version, served_version]);
  return announced(before) !== announced(now) || haveTroublesChanged(before, now);
}

function haveTroublesChanged({ troubles: before = [] }: Load, { troubles: now = [] }: Load): boolean {
  const had = new Map(before.map(({ kind, code, sessions }) => [`${kind} ${code}`, sessions]));
  const have = new Map(now.map(({ kind, code, sessions }) => [`${kind} ${code}`, sessions]));
  return [...new Set([...had.keys(), ...have.keys()])].some((name) => isFar(had.get(name), have.get(name)));
}

function isFar(a = 0, b = 0): boolean {
  return Math.abs(a - b) > SHARE * Math.max(a, b);
}
