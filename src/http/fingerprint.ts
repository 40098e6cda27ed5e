import { createHash, type Hash } from "node:crypto";
import type { z } from "zod";

/** The query sorted by name and value, decoded and encoded again. It is "" without parameters. */
export function canonicalQuery(search: URLSearchParams): string {
  const pairs = [...search].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.toSorted().join("&");
}

/** The query as parsed, with defaults and without ignored parameters. Kept short, because counters use it as a key. */
export function queryOfRead(parsed: z.ZodSafeParseResult<unknown>, search: URLSearchParams): string {
  return shortName(parsed.success ? JSON.stringify(parsed.data) : canonicalQuery(search));
}

const MAX_NAME_CHARACTERS = 128;

export function shortName(text: string): string {
  return text.length <= MAX_NAME_CHARACTERS ? text : createHash("sha256").update(text).digest("base64url");
}

/** Fills in the pattern. For example, `/chats/{chatId}/messages` becomes `/chats/5511…@c.us/messages`. */
export function filledPath(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? "").replaceAll("%40", "@"));
}

export function fingerprint(method: string, route: string, query: string): Hash {
  return createHash("sha256").update(`${method}\n${route}\n${query}\n`);
}
