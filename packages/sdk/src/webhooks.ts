// Verifies and parses webhooks of both APIs. This entry point contains no client.
import type { AccountEvent } from "./generated/account.ts";
import type { ConnectionEvent } from "./generated/connection.ts";
import { accountEventTypes, connectionEventTypes } from "./generated/event-types.ts";
import { typedEvent, type UnknownEvent } from "./typed-event.ts";

export type { UnknownEvent };
export type ConnectionWebhook = ConnectionEvent | UnknownEvent;
/** `type` has the same value as the body's `event`. */
export type AccountWebhook =
  | (AccountEvent extends infer Event ? (Event extends { event: infer Type } ? Event & { type: Type } : never) : never)
  | UnknownEvent;

export class WebhookError extends Error {
  override name = "WebhookError";
}

export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>;
// Has no type argument, so that a `Buffer` is accepted and TypeScript before 5.7 can read the types.
type Given = string | Uint8Array | ArrayBuffer;
type Raw = string | Uint8Array<ArrayBuffer> | ArrayBuffer;

/**
 * Returns the event, or throws a `WebhookError` with the reason. During a rotation, `secrets` contains the new and the old one. Accepts a
 * `Request`, or the raw body with its headers.
 */
export async function verifyConnectionWebhook(request: Request, secrets: string | readonly string[]): Promise<ConnectionWebhook>;
export async function verifyConnectionWebhook(
  body: Given,
  headers: HeadersLike,
  secrets: string | readonly string[],
): Promise<ConnectionWebhook>;
export async function verifyConnectionWebhook(given: Request | Given, ...rest: unknown[]): Promise<ConnectionWebhook> {
  const [body, header, secrets] = await parts(given, rest);
  const [id, timestamp, signatures] = [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")];
  // The tolerance is five minutes. A timestamp that is not a number is also refused here.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) throw new WebhookError("The timestamp is over 5 minutes off this clock");
  await oneMatches(
    secrets.map((secret) => decoded(secret.replace("whsec_", ""))),
    [`${id}.${timestamp}.`, body],
    (signatures.match(/(?<=v1,)[a-z\d+/]{43}=/gi) ?? []).map(decoded),
  );
  return typedEvent(await parsed(body), connectionEventTypes) as ConnectionWebhook;
}

/** Like `verifyConnectionWebhook`. This signature has no timestamp, so store the ids of handled events and skip repeated ones. */
export async function verifyAccountWebhook(request: Request, secrets: string | readonly string[]): Promise<AccountWebhook>;
export async function verifyAccountWebhook(body: Given, headers: HeadersLike, secrets: string | readonly string[]): Promise<AccountWebhook>;
export async function verifyAccountWebhook(given: Request | Given, ...rest: unknown[]): Promise<AccountWebhook> {
  const [body, header, secrets] = await parts(given, rest);
  const signature = header("x-service-signature");
  if (!/^[0-9a-f]{64}$/.test(signature)) throw new WebhookError("The header x-service-signature is not 64 hex digits");
  await oneMatches(
    secrets.map((secret) => new TextEncoder().encode(secret)),
    [body],
    [Uint8Array.from(signature.match(/../g) ?? [], (hex) => parseInt(hex, 16))],
  );
  const event = await parsed(body);
  return typedEvent(event, accountEventTypes, event["event"]) as AccountWebhook;
}

type Handlers<Event extends { type: string }> = { [Type in Event["type"]]?: (event: Extract<Event, { type: Type }>) => unknown };
type HandlerOptions<Event extends { type: string }> = {
  secret: string | readonly string[];
  on: Handlers<Event>;
  /** Returns true for an id that was handled before. */
  seen?: (id: string) => boolean | Promise<boolean>;
};

/**
 * A `fetch` handler. Returns 401 for a wrong signature, 200 for a handled event, and 500 if your code fails. After a 500, the gateway
 * retries.
 */
export function webhookHandler(options: HandlerOptions<ConnectionWebhook>): (request: Request) => Promise<Response> {
  return handler((request) => verifyConnectionWebhook(request, options.secret), options);
}

export function accountWebhookHandler(options: HandlerOptions<AccountWebhook>): (request: Request) => Promise<Response> {
  return handler((request) => verifyAccountWebhook(request, options.secret), options);
}

function handler<Event extends { type: string; id: string }>(
  verify: (request: Request) => Promise<Event>,
  { on, seen }: HandlerOptions<Event>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    let event: Event;
    try {
      event = await verify(request);
    } catch (error) {
      if (error instanceof WebhookError) return new Response(error.message, { status: 401 });
      throw error;
    }
    if (!(await seen?.(event.id))) await (on as Record<string, ((event: Event) => unknown) | undefined>)[event.type]?.(event);
    return new Response(null);
  };
}

/** Input of the verification: the raw body, a header look-up that throws if the header is missing, and the secrets. */
type VerificationInput = [body: Raw, header: (name: string) => string, secrets: readonly string[]];

async function parts(given: unknown, rest: readonly unknown[]): Promise<VerificationInput> {
  if (given instanceof Request) return parts(given.bodyUsed || (await given.arrayBuffer()), [given.headers, ...rest]);
  if (typeof given !== "string" && !(given instanceof ArrayBuffer || given instanceof Uint8Array))
    throw new TypeError(
      'The body was read before. Give it raw: express.raw({ type: "*/*" }), Next.js request.text(), Fastify parseAs: "buffer"',
    );
  const headers = rest[0] as HeadersLike;
  const secrets = [rest[1]].flat() as string[];
  // An empty secret would make a key that everybody knows.
  if (!secrets.every(Boolean)) throw new TypeError("The secret is missing");
  const header = (name: string): string => {
    const value =
      headers instanceof Headers ? headers.get(name) : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
    if (!value) throw new WebhookError(`The header ${name} is missing. No secret?`);
    return String(value);
  };
  return [given as Raw, header, secrets];
}

async function oneMatches(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signed: Raw[],
  sent: readonly Uint8Array<ArrayBuffer>[],
): Promise<void> {
  const bytes = await new Blob(signed).arrayBuffer();
  for (const each of keys) {
    const key = await crypto.subtle.importKey("raw", each, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    // WebCrypto compares in constant time.
    for (const signature of sent) if (await crypto.subtle.verify("HMAC", key, signature, bytes)) return;
  }
  throw new WebhookError("No signature matches: another secret or body");
}

function parsed(body: Raw): Promise<Record<string, unknown>> {
  return new Response(body).json() as Promise<Record<string, unknown>>;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
