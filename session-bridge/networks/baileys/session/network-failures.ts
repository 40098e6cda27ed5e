// The network's code is in `data` for IQ errors, in `output.statusCode` for a failed group read, and in `error` for an ack.
import type { Failure } from "@gateway/protocol/failures.ts";
import * as z from "zod";

export type Subject = "person" | "group" | "channel" | "status" | "account";

const RATE_LIMIT_SECONDS = 60;

export function failureOfCode(code: number, subject: Subject): Failure {
  switch (code) {
    case 401:
    case 403:
      return { code: subject === "group" ? "not_group_admin" : "forbidden" };
    case 404:
    case 410:
      return { code: NOT_FOUND[subject] };
    case 406:
      return { code: "invite_invalid" };
    case 429:
      return { code: "network_rate_limited", retryAfter: RATE_LIMIT_SECONDS };
    default:
      return { code: "network_error", details: { network_code: code } };
  }
}

const NOT_FOUND = {
  person: "number_not_on_network",
  group: "group_not_found",
  channel: "channel_not_found",
  status: "network_error",
  account: "network_error",
} as const satisfies Record<Subject, Failure["code"]>;

export function asAttempted(failure: Failure): Failure {
  return { ...failure, attempted: true };
}

/** `unavailable` means that the socket was closed or the network did not respond. Nothing was done, so a retry may succeed. */
export function failureOfError(error: unknown, subject: Subject): Failure {
  const code = networkCode(error);
  if (code !== null) return failureOfCode(code, subject);
  return { code: unanswered(error) ? "unavailable" : "network_error" };
}

// If there is no response, the library continues and then throws a TypeError.
function unanswered(error: unknown): boolean {
  return error instanceof TypeError || NO_REPLY.has((error as { output?: { statusCode?: unknown } } | null)?.output?.statusCode);
}

const NO_REPLY = new Set<unknown>([408, 428, 503]);

/** The network's error code. Null for errors raised on this side (closed socket, no response). */
export function networkCode(error: unknown): number | null {
  if (error === null || typeof error !== "object") return null;
  const { data, output } = error as { data?: unknown; output?: { statusCode?: unknown } };
  if (typeof data === "number" && Number.isInteger(data)) return data;
  const answered = data !== null && typeof data === "object" && "tag" in data && data.tag === "error";
  return answered && typeof output?.statusCode === "number" ? output.statusCode : null;
}

const MexReply = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ error_code: z.number().int().nullish() }).nullish() })).nullish(),
});
type MexReply = { data: Record<string, unknown>; refusals: number[] };

const BAD_REQUEST = 400;

export function readMexReply(text: string | undefined): MexReply {
  const read = MexReply.safeParse(parsed(text));
  const refusals = (read.data?.errors ?? []).map(({ extensions }) => extensions?.error_code ?? BAD_REQUEST);
  return { data: read.data?.data ?? {}, refusals };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
