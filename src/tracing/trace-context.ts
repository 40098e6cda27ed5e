// W3C `traceparent`, version 00.

/** Lower-case hex, 32 and 16 digits, not all zeros. */
export type TraceContext = { traceId: string; spanId: string };

const TRACEPARENT = /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-[0-9a-f]{2}(?<rest>-.*)?$/;
const MAX_CHARACTERS = 256;

/** null: invalid. Later versions are read by their first four fields, as the W3C recommendation requires. */
export function parseTraceparent(text: string | null | undefined): TraceContext | null {
  if (text === null || text === undefined || text.length > MAX_CHARACTERS) return null;
  const { version, traceId, spanId, rest } = TRACEPARENT.exec(text)?.groups ?? {};
  if (traceId === undefined || spanId === undefined || version === "ff" || (version === "00" && rest !== undefined)) return null;
  return /[^0]/.test(traceId) && /[^0]/.test(spanId) ? { traceId, spanId } : null;
}

/** Only recorded spans are propagated, so the flag is always 01. */
export function formatTraceparent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}
