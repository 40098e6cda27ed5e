// The canonical form of a request, compared by the repeated-read limit and idempotency.
import { createHash, type Hash } from "node:crypto";
import type { z } from "zod";

/** Parameters sorted by name and value, decoded and encoded again; "" when there are none. */
export function canonicalQuery(search: URLSearchParams): string {
  const pairs = [...search].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.toSorted().join("&");
}

/**
 * A read's query in the form in which its answer depends on it: what the row's schema has parsed, defaults included. Parameters that
 * are ignored make no difference. Short, because counters are kept under it.
 */
export function queryOfRead(parsed: z.ZodSafeParseResult<unknown>, search: URLSearchParams): string {
  return shortName(parsed.success ? JSON.stringify(parsed.data) : canonicalQuery(search));
}

const MAX_NAME_CHARACTERS = 128;

/** The text itself, or a hash of a long one. */
export function shortName(text: string): string {
  return text.length <= MAX_NAME_CHARACTERS ? text : createHash("sha256").update(text).digest("base64url");
}

/** The pattern's `{names}` replaced by their values, e.g. `/chats/{chatId}/messages` → `/chats/5511…@c.us/messages`. */
export function filledPath(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? "").replaceAll("%40", "@"));
}

/** SHA-256 of method, route, query and body: the body is to be fed to it, piece by piece. */
export function fingerprint(method: string, route: string, query: string): Hash {
  return createHash("sha256").update(`${method}\n${route}\n${query}\n`);
}
