// Raises an alarm when many sessions have the same problem, and ends it (docs/operate/monitoring.md, "Fleet alarms").
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Trouble } from "@gateway/protocol/bridge-socket.ts";

export type BridgeReport = { sessions: number; away: number; troubles: readonly Trouble[] };

/** `sessions` is the peak. `belowSince` says when the count fell well below the limit (Unix ms), and is null if it has not. */
export type Alarm = { kind: string; code: string; sessions: number; raisedAt: number; belowSince: number | null };

type RaisedAlarm = Omit<Alarm, "belowSince">;

export type Signal = { kind: string; code: string; sessions: number; level: number };

/** An alarm requires this share of the sessions, or this many numbers with the same code. */
const SHARE = 0.03;
const SAME_CODE_SESSIONS = 5;
const AWAY_SHARE = 0.1;
const FEWEST_SESSIONS = 2;
/** An alarm ends after it has stayed below half its limit for this long, so that a fluctuating problem causes only one alarm. */
const OVER_LEVEL = 0.5;
const OVER_AFTER_MS = 10 * MINUTE_MS;

/** The kind of alarm for a container whose bridge does not connect. The alarm's `code` is the bridge's id. */
export const CONTAINER = "container";
export const AWAY = { kind: "away", code: "no_line" } as const;

/** Problems that occur in a healthy fleet too. A wrong app-state MAC is harmless and is reported once per process. */
const ROUTINE: Readonly<Record<string, ReadonlySet<string>>> = {
  close: new Set(["0", "408", "428", "503", "515"]),
  app_state: new Set(["wrong_mac"]),
  iq: new Set(["401", "403", "404", "406", "409", "410"].flatMap((code) => [code, `mex_${code}`])),
};
export const isRoutine = ({ kind, code }: { kind: string; code: string }): boolean => ROUTINE[kind]?.has(code) === true;

const SAYS_CODES = new Set(["close", "ack", "iq"]);

export function signalsOf(reports: readonly BridgeReport[]): Signal[] {
  const total = sum(reports.map(({ sessions }) => sessions));
  const counts = new Map<string, { kind: string; code: string; sessions: number }>();
  for (const { kind, code, sessions } of reports.flatMap(({ troubles }) => troubles)) {
    const known = counts.get(`${kind} ${code}`);
    counts.set(`${kind} ${code}`, { kind, code, sessions: (known?.sessions ?? 0) + sessions });
  }
  const troubles = [...counts.values()]
    .filter((count) => count.sessions > 0 && !isRoutine(count))
    .map((count) => ({ ...count, level: count.sessions / limitOf(count.kind, total) }));
  const away = sum(reports.map((report) => report.away));
  // Each bridge is also checked alone, because one without network access has only a small share of a large fleet's sessions.
  const level = Math.max(0, away / awayLimit(total), ...reports.map((report) => report.away / awayLimit(report.sessions)));
  return away === 0 ? troubles : [...troubles, { ...AWAY, sessions: away, level }];
}

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

function limitOf(kind: string, total: number): number {
  const share = Math.floor(total * SHARE) + 1;
  return SAYS_CODES.has(kind) ? Math.max(FEWEST_SESSIONS, Math.min(SAME_CODE_SESSIONS, share)) : Math.max(SAME_CODE_SESSIONS, share);
}

function awayLimit(total: number): number {
  return Math.max(FEWEST_SESSIONS, Math.floor(total * AWAY_SHARE) + 1);
}

/** Adds the alarm for an exhausted email quota, which no pool raises. `pausedSince` is when emails to owners were paused (Unix ms). */
export function withMailQuota(alarms: readonly RaisedAlarm[], pausedSince: number | null): RaisedAlarm[] {
  return pausedSince === null ? [...alarms] : [...alarms, { kind: "mail", code: "quota", sessions: 0, raisedAt: pausedSince }];
}

/** The row of the operator's guide that explains what to do about the alarm. */
export const guideOf = ({ kind, code }: { kind: string; code: string }): string =>
  `docs/operate/monitoring.md#alarm-${kind === "close" && code === "405" ? "close-405" : kind}`;

export const nameOf = ({ kind, code }: { kind: string; code: string }): string => `${kind} ${code}`;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
