// Fields named `*_at` are ISO 8601 in UTC, and `timestamp` is in Unix seconds (docs/use/apis.md, "Ids, phones and times").

/** The latest time that a Date can represent. Senders choose some times, so they are clamped to keep `toISOString` from throwing. */
const MAX_DATE_MS = 8.64e15;

export function isoOfMs(ms: number): string {
  return new Date(Math.max(-MAX_DATE_MS, Math.min(MAX_DATE_MS, ms))).toISOString();
}

export function isoOfMsOrNull(ms: number | null): string | null {
  return ms === null ? null : isoOfMs(ms);
}

export function isoOfSeconds(seconds: number): string {
  return isoOfMs(seconds * 1_000);
}
