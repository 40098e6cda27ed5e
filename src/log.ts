// Logging for the worker and its objects, as one JSON line per event. Never log secrets or message contents.

type Field = string | number | boolean | null | undefined;

export type LogFields = Readonly<Record<string, Field>>;

const MAX_CHARACTERS = 256;
/** Stacks contain only locations in our own code and no data, so they may be longer than other fields. */
const MAX_STACK_CHARACTERS = 2_048;
const MAX_STACK_FRAMES = 8;
const MINUTE_MS = 60_000;

/** Samples the line. Lines with the same `key` and minute are all written or all dropped. `at` is in Unix ms. */
export type Routine = { share: number; key: string; at: number };

export function log(event: string, fields: LogFields, routine?: Routine): void {
  const line = formatLogLine(event, fields, routine);
  if (line !== null) console.log(line);
}

/** Returns null if sampling drops the line. Sampled lines contain `sample` and represent `1 / sample` lines. */
export function formatLogLine(event: string, fields: LogFields, routine?: Routine): string | null {
  if (routine === undefined || routine.share >= 1) return JSON.stringify({ event, ...cutFields(fields) });
  return isTaken(routine) ? JSON.stringify({ event, ...cutFields(fields), sample: routine.share }) : null;
}

/** Shortens texts, because they may come from strangers. */
export function cutFields<T extends Readonly<Record<string, unknown>>>(fields: T): T {
  const cut = Object.entries(fields).map(([name, value]) => {
    const most = name === "stack" ? MAX_STACK_CHARACTERS : MAX_CHARACTERS;
    return [name, typeof value === "string" && value.length > most ? value.slice(0, most) : value] as const;
  });
  return Object.fromEntries(cut) as T;
}

/** A hash (FNV-1a with mixed bits), so that every isolate and object decides in the same way. */
function isTaken({ share, key, at }: Routine): boolean {
  let hash = 0x811c9dc5;
  for (const character of `${key}|${Math.floor(at / MINUTE_MS)}`) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 < share * 2 ** 32;
}

/** A failed query's own message also lists row data, so only the database's message is logged. */
export function errorFields(error: unknown): { error: string; message: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error, message: "not an Error" };
  const reported = error.name === "DrizzleQueryError" || "params" in error ? error.cause : error;
  const message = reported instanceof Error ? reported.message : "failed query";
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_STACK_FRAMES)
    .map((line) => line.trim());
  return {
    error: error.name,
    message,
    ...(frames.length === 0 ? {} : { stack: frames.join(" | ") }),
  };
}
