// Fields named `*_at` are ISO 8601 in UTC, and `timestamp` is in Unix seconds (docs/use/apis.md, "Ids, phones and times").

export function isoOfMs(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOfMsOrNull(ms: number | null): string | null {
  return ms === null ? null : isoOfMs(ms);
}

export function isoOfSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
