// Verifies and parses webhooks of both APIs. This entry point contains no client.
import type { AccountEvent } from "./generated/account.ts";
import type { ConnectionEvent } from "./generated/connection.ts";
import { accountEventTypes, connectionEventTypes } from "./generated/event-types.ts";

/** An event type that this package does not know. */
export type UnknownEvent = { type: "$unknown"; id: string; original: unknown };
export type ConnectionWebhook = ConnectionEvent | UnknownEvent;
/** `type` repeats the body's `event`. */
export type AccountWebhook =
  | (AccountEvent extends infer Event ? (Event extends { event: infer Type } ? Event & { type: Type } : never) : never)
  | UnknownEvent;

export class WebhookError extends Error {
  override name = "WebhookError";
}

export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>;
type Raw = string | Uint8Array<ArrayBuffer> | ArrayBuffer;

const TOLERANCE_S = 300;
const encoder = new TextEncoder();

/**
 * Returns the event, or throws a `WebhookError` with the reason. `secrets`: during a rotation, the new and the old one. Accepts a
 * `Request`, or the raw body with its headers.
 */
export async function verifyConnectionWebhook(request: Request, secrets: string | readonly string[]): Promise<ConnectionWebhook>;
export async function verifyConnectionWebhook(
  body: Raw,
  headers: HeadersLike,
  secrets: string | readonly string[],
): Promise<ConnectionWebhook>;
export async function verifyConnectionWebhook(given: Request | Raw, ...rest: unknown[]): Promise<ConnectionWebhook> {
  const { body, header, secrets } = await parts(given, rest);
  const [id, timestamp, signatures] = [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")];
  if (id === null || timestamp === null || signatures === null)
    throw new WebhookError("The headers webhook-id, webhook-timestamp and webhook-signature are missing");
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S)
    throw new WebhookError("The timestamp is more than five minutes away from this clock");
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), body);
  const sent = signatures.split(" ").flatMap((each) => (each.startsWith("v1,") ? [decoded(each.slice(3))] : []));
  await oneMatches(
    secrets.map((secret) => decoded(secret.replace(/^whsec_/, ""))),
    signed,
    sent,
  );
  return typedEvent(new TextDecoder().decode(body), "type", connectionEventTypes) as ConnectionWebhook;
}

/** Like `verifyConnectionWebhook`. This signature has no timestamp, so store the ids of handled events and skip repeated ones. */
export async function verifyAccountWebhook(request: Request, secrets: string | readonly string[]): Promise<AccountWebhook>;
export async function verifyAccountWebhook(body: Raw, headers: HeadersLike, secrets: string | readonly string[]): Promise<AccountWebhook>;
export async function verifyAccountWebhook(given: Request | Raw, ...rest: unknown[]): Promise<AccountWebhook> {
  const { body, header, secrets } = await parts(given, rest);
  const signature = header("x-service-signature");
  if (signature === null) throw new WebhookError("The header x-service-signature is missing: give the endpoint a secret");
  if (!/^[0-9a-f]{64}$/.test(signature)) throw new WebhookError("The header x-service-signature is not 64 hex digits");
  await oneMatches(
    secrets.map((secret) => encoder.encode(secret)),
    body,
    [Uint8Array.from(signature.match(/../g) ?? [], (hex) => parseInt(hex, 16))],
  );
  return typedEvent(new TextDecoder().decode(body), "event", accountEventTypes) as AccountWebhook;
}

type Handlers<Event extends { type: string }> = { [Type in Event["type"]]?: (event: Extract<Event, { type: Type }>) => unknown };
type HandlerOptions<Event extends { type: string }> = {
  secret: string | readonly string[];
  on: Handlers<Event>;
  /** Returns true for an id that was handled before. */
  seen?: (id: string) => boolean | Promise<boolean>;
};

/** A `fetch` handler. Returns 401 for a wrong signature, 200 for a handled event, and 500 if your code fails; the gateway then retries. */
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
    if ((await seen?.(event.id)) === true) return new Response(null, { status: 200 });
    await (on as Record<string, ((event: Event) => unknown) | undefined>)[event.type]?.(event);
    return new Response(null, { status: 200 });
  };
}

type Parts = { body: Uint8Array<ArrayBuffer>; header: (name: string) => string | null; secrets: readonly string[] };

async function parts(given: Request | Raw, rest: readonly unknown[]): Promise<Parts> {
  const isRequest = given instanceof Request;
  if (isRequest && given.bodyUsed) throw new WebhookError("The body was read before. Verify first: a parsed body cannot be checked");
  const body = isRequest ? await given.arrayBuffer() : given;
  const [headers, secret] = isRequest ? [given.headers, rest[0]] : rest;
  const secrets = typeof secret === "string" ? [secret] : (secret as readonly string[] | undefined);
  if (secrets === undefined || secrets.length === 0 || secrets.includes("")) throw new TypeError("The secret of the webhook is missing");
  return { body: bytesOf(body), header: (name) => headerOf(headers as HeadersLike, name), secrets };
}

function bytesOf(body: Raw): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return encoder.encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError(
    'Give the raw body, not a parsed one: in Express express.raw({ type: "*/*" }), in Fastify a parser that keeps the buffer, in Next.js await request.text()',
  );
}

function headerOf(headers: HeadersLike, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === "string" ? value : (value?.join(" ") ?? null);
}

async function oneMatches(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
  sent: readonly Uint8Array<ArrayBuffer>[],
): Promise<void> {
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    // WebCrypto compares in constant time.
    for (const signature of sent) if (await crypto.subtle.verify("HMAC", key, signature, signed)) return;
  }
  throw new WebhookError("No signature matches: the secret is another one, or the body was changed on its way");
}

export function typedEvent(body: string, name: "type" | "event", known: readonly string[]): unknown {
  const event = JSON.parse(body) as Record<string, unknown>;
  const type = event[name];
  if (typeof type !== "string" || !known.includes(type)) return { type: "$unknown", id: String(event["id"]), original: event };
  return name === "event" ? { ...event, type } : event;
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(head.length + tail.length);
  both.set(head);
  both.set(tail, head.length);
  return both;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
