// When troubles of single sessions are trouble of the fleet: an alarm for each kind and code, and its end (docs/operate/monitoring.md,
// "Fleet alarms").
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Trouble } from "@gateway/protocol/bridge/troubles.ts";

/** What one bridge said last. `away`: sessions without a line. */
export type BridgeReport = { sessions: number; away: number; troubles: readonly Trouble[] };

/** `sessions`: the most at once. `belowSince`: since when it has been well below its limit; null: it is not. Unix ms. */
export type Alarm = { kind: string; code: string; sessions: number; raisedAt: number; belowSince: number | null };

/** `level`: 1 at the limit. */
export type Signal = { kind: string; code: string; sessions: number; level: number };

/** Above this share of the sessions, or at this many numbers with the same code, it is no single number's trouble. */
const SHARE = 0.03;
const SAME_CODE_SESSIONS = 5;
const AWAY_SHARE = 0.1;
/** One number alone is never the fleet's trouble. */
const FEWEST_SESSIONS = 2;
/** An alarm is over when it has been below half its limit for this long: what comes and goes is one alarm. */
const OVER_LEVEL = 0.5;
const OVER_AFTER_MS = 10 * MINUTE_MS;

export const AWAY = { kind: "away", code: "no_line" } as const;

/**
 * What healthy fleets have every minute: lines that the network recycles or that are lost, the close in the middle of pairing, and questions
 * whose answer is "there is none", or "not for you". Lines that stay away are counted by `away`. Shared app state that does not add up stays
 * so, was read all the same, and is told once by each process: after a start, or on a new build, by many at once.
 */
const ROUTINE: Readonly<Record<string, ReadonlySet<string>>> = {
  close: new Set(["0", "408", "428", "503", "515"]),
  app_state: new Set(["wrong_mac"]),
  iq: new Set(["401", "403", "404", "406", "409", "410"].flatMap((code) => [code, `mex_${code}`])),
};
/** Kinds whose codes are the network's word. */
const SAYS_CODES = new Set(["close", "ack", "iq"]);

/** How near the bridges' reports are to an alarm, by kind and code. */
export function signalsOf(reports: readonly BridgeReport[]): Signal[] {
  const total = sum(reports.map(({ sessions }) => sessions));
  const counts = new Map<string, { kind: string; code: string; sessions: number }>();
  for (const { kind, code, sessions } of reports.flatMap(({ troubles }) => troubles)) {
    const known = counts.get(`${kind} ${code}`);
    counts.set(`${kind} ${code}`, { kind, code, sessions: (known?.sessions ?? 0) + sessions });
  }
  const troubles = [...counts.values()]
    .filter(({ kind, code, sessions }) => sessions > 0 && ROUTINE[kind]?.has(code) !== true)
    .map((count) => ({ ...count, level: count.sessions / limitOf(count.kind, total) }));
  const away = sum(reports.map((report) => report.away));
  // Of one bridge or of all: a bridge whose way to the network is cut is few sessions of a large fleet.
  const level = Math.max(0, away / awayLimit(total), ...reports.map((report) => report.away / awayLimit(report.sessions)));
  return away === 0 ? troubles : [...troubles, { ...AWAY, sessions: away, level }];
}

/** The next state of the alarms, with what is new. */
export function judge(
  signals: readonly Signal[],
  alarms: readonly Alarm[],
  now: number,
): { alarms: Alarm[]; raised: Alarm[]; over: Alarm[] } {
  const known = new Set(alarms.map(nameOf));
  const raised = signals
    .filter((signal) => signal.level >= 1 && !known.has(nameOf(signal)))
    .map(({ kind, code, sessions }): Alarm => ({ kind, code, sessions, raisedAt: now, belowSince: null }));
  const levels = new Map(signals.map((signal) => [nameOf(signal), signal]));
  const continued = alarms.map((alarm): Alarm => {
    const { level = 0, sessions = 0 } = levels.get(nameOf(alarm)) ?? {};
    const belowSince = level >= OVER_LEVEL ? null : (alarm.belowSince ?? now);
    return { ...alarm, sessions: Math.max(alarm.sessions, sessions), belowSince };
  });
  const isOver = ({ belowSince }: Alarm): boolean => belowSince !== null && now - belowSince >= OVER_AFTER_MS;
  return { alarms: [...continued.filter((alarm) => !isOver(alarm)), ...raised], raised, over: continued.filter(isOver) };
}

/** The fewest sessions of one kind and code that are an alarm. */
function limitOf(kind: string, total: number): number {
  const share = Math.floor(total * SHARE) + 1;
  return SAYS_CODES.has(kind) ? Math.max(FEWEST_SESSIONS, Math.min(SAME_CODE_SESSIONS, share)) : Math.max(SAME_CODE_SESSIONS, share);
}

function awayLimit(total: number): number {
  return Math.max(FEWEST_SESSIONS, Math.floor(total * AWAY_SHARE) + 1);
}

export const nameOf = ({ kind, code }: { kind: string; code: string }): string => `${kind} ${code}`;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
