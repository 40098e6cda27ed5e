// Posts an event to a URL, signed like a webhook.
import { type Flags, type Io, textFlag, UsageError } from "../command.ts";
import { isSecret, localSecret, type Scheme, signedHeaders } from "./signing.ts";

const FORWARD_TIMEOUT_MS = 15_000;
export const SECRET_VARIABLE = "GATEWAY_WEBHOOK_SECRET";

export type Forwarded = { status: number; ms: number } | { error: string; ms: number };
export type Destination = { url: string; scheme: Scheme; secret: string; headers: readonly string[] };

/** Sends the body once and returns the receiver's response. A failed request is not repeated. Throws once `stop` is aborted. */
export async function forward(
  event: { id: string; body: string },
  { url, scheme, secret, headers: added }: Destination,
  stop?: AbortSignal,
): Promise<Forwarded> {
  const startedAt = performance.now();
  const ms = (): number => Math.round(performance.now() - startedAt);
  const headers = new Headers(signedHeaders(scheme, secret, event, Date.now()));
  for (const header of added) headers.set(...nameAndValue(header));
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: event.body,
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(FORWARD_TIMEOUT_MS), ...(stop === undefined ? [] : [stop])]),
    });
    await response.body?.cancel();
    return { status: response.status, ms: ms() };
  } catch (error) {
    stop?.throwIfAborted();
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return { error: code ?? (error as Error).name, ms: ms() };
  }
}

export function isAccepted(answer: Forwarded): boolean {
  return "status" in answer && answer.status >= 200 && answer.status < 300;
}

export function answerText(answer: Forwarded): string {
  return `${"status" in answer ? answer.status : answer.error}  ${answer.ms} ms`;
}

/** Checks the URL to which events are posted. Returns the secret that signs them: the given one, or a local one that stays the same. */
export function secretFor(url: string, given: string | undefined, flags: Flags, apiKey: string | null): string {
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw new UsageError(`${url}: write an http address`);
  if (!isOnThisMachine(url) && flags["allow-remote"] !== true)
    throw new UsageError("messages would leave this machine: add --allow-remote if you want that");
  if (given !== undefined) return given;
  if (apiKey === null)
    throw new UsageError(`write --secret or set ${SECRET_VARIABLE}, because the usual secret depends on a key, and there is none`);
  return localSecret(apiKey, url);
}

/** Checks the secret's format, except for the Account API, where a secret can be any text. */
export function givenSecret(scheme: Scheme, flags: Flags, io: Io): string | undefined {
  const given = webhookSecret(flags, io);
  if (given !== undefined && scheme === "connection" && !isSecret(given))
    throw new UsageError(`${flags["secret"] === undefined ? SECRET_VARIABLE : "--secret"}: write whsec_ and the Base64 text behind it`);
  return given;
}

/** A real webhook's secret belongs in the environment, because other users of a machine can see a process's flags. */
export function webhookSecret(flags: Flags, { env }: Io): string | undefined {
  return textFlag(flags, "secret") ?? (env[SECRET_VARIABLE] || undefined);
}

export function isOnThisMachine(url: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}

function nameAndValue(header: string): [string, string] {
  const [, name = "", value = ""] = /^([^:\s]+):\s*(.*)$/.exec(header) ?? [];
  if (name === "") throw new UsageError(`--header ${header}: write NAME:VALUE`);
  return [name, value];
}
