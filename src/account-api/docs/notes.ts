// Notes on every route of the Account API: an example that is executed, and the failures of its own.
import type { DocumentedRoute, RequestExample, RouteNotes } from "../../http/openapi/surface.ts";
import type { FailureCode } from "../../protocol/failures.ts";
import { PARAMS } from "./samples.ts";

/** By method and path, as in the route table. A route without a body needs no example of its own. */
type Notes = Record<string, Partial<RouteNotes>>;

/** Whatever asks the network. */
const NETWORK: readonly FailureCode[] = [
  "instance_not_connected",
  "network_rate_limited",
  "network_error",
  "instance_reconnecting",
  "network_timeout",
];

const URLS: readonly FailureCode[] = ["url_not_allowed", "instance_not_found"];
const ON_WEBHOOK: readonly FailureCode[] = ["webhook_not_found"];
const ON_DELIVERY: readonly FailureCode[] = ["webhook_not_found", "delivery_not_found"];

function note(failures: readonly FailureCode[], body?: unknown, description?: string): Partial<RouteNotes> {
  const example: RequestExample = body === undefined ? {} : { body };
  return { failures, example, ...(description === undefined ? {} : { description }) };
}

const P = "/instances/{instanceId}";

export const NOTES: Readonly<Notes> = {
  "GET /health": note([]),
  "GET /health/ready": {
    ...note([], undefined, "Answers 503 with the same body while something is missing."),
    otherStatus: 503,
  },
  "GET /openapi.json": note([], undefined, "This very description."),
  "GET /me": note([]),
  "POST /api-keys": note(
    ["bearer_required", "instance_not_found"],
    { name: "CI", scopes: ["read", "send"] },
    "Only with a bearer token: a key makes no keys.",
  ),
  "GET /api-keys": note([]),
  "DELETE /api-keys/{keyId}": note(["key_not_found"], undefined, "A key may always remove itself."),
  "POST /instances": note(
    ["subscription_required", "instance_limit", "webhook_limit", "url_not_allowed", "not_supported"],
    { name: "Store", connect: false, metadata: { customer: "4711" } },
    "Takes a webhook for this instance along in `webhook`. The kind `cloud_api` is not offered yet: 501 `not_supported`.",
  ),
  "GET /instances": note([]),
  [`GET ${P}`]: note([]),
  [`PATCH ${P}`]: note(
    ["not_supported"],
    { name: "Store, downtown", settings: { ignore_groups: true } },
    "`settings` and `settings.pacing` are added to what was set before; `metadata` is replaced whole. Another proxy reconnects the number.",
  ),
  [`DELETE ${P}`]: note([]),
  [`POST ${P}/connect`]: note([], {}),
  [`POST ${P}/disconnect`]: note([]),
  [`POST ${P}/restart`]: note([]),
  [`POST ${P}/logout`]: note([]),
  [`GET ${P}/qr`]: note(
    ["qr_not_available"],
    undefined,
    "Each code lives 20 to 60 seconds; the event `instance.qr` tells of every new one.",
  ),
  [`POST ${P}/pairing-code`]: note(["already_connected", "instance_not_connected", "instance_reconnecting", "rate_limited"], {
    phone_number: "5511900000001",
  }),
  [`GET ${P}/status`]: note([]),
  [`GET ${P}/capabilities`]: note([]),
  [`GET ${P}/health`]: note([]),
  [`GET ${P}/history-sync`]: note([]),
  [`POST ${P}/history-sync`]: note(
    [...NETWORK, "chat_not_found"],
    { chat_id: "5511900000002@c.us", count: 50 },
    "The phone must be switched on; it answers in its own time. Each call reaches further back.",
  ),
  [`GET ${P}/chats/{chatId}/messages`]: note([], undefined, "An unknown chat has no messages. `cursor` goes on where a page ended."),
  [`POST ${P}/chats/{chatId}/seen`]: note([...NETWORK, "chat_not_found"]),
  [`POST ${P}/groups/{groupId}/participants/remove`]: note([...NETWORK, "group_not_found", "not_group_admin", "invalid_number"], {
    participants: ["5511900000003@c.us"],
  }),
  [`GET ${P}/events`]: note(
    [],
    undefined,
    "The envelopes of the webhooks, with ids of their own. One stream per key and instance: a second one ends the first. It ends by itself after five minutes; come back with `Last-Event-ID` and it goes on behind that event, or says `reset` when that is not known any more. `instance.qr` is told only to those who may ask for the QR: it needs the scope `manage`.",
  ),
  "POST /webhooks": note([...URLS, "webhook_limit"], {
    url: "https://hooks.example.com/gateway",
    events: ["message.received", "instance.disconnected"],
    secret: "a long random text of yours",
    headers: { "X-Env": "prod" },
  }),
  "GET /webhooks": note([]),
  "GET /webhooks/{webhookId}": note(ON_WEBHOOK),
  "PATCH /webhooks/{webhookId}": note([...ON_WEBHOOK, ...URLS], { events: ["message.received"], retry_count: 5 }),
  "DELETE /webhooks/{webhookId}": note(ON_WEBHOOK),
  "POST /webhooks/{webhookId}/test": note(
    [...ON_WEBHOOK, "instance_not_found"],
    undefined,
    "The event is `webhook.test`, of the endpoint's instance or of the account's first one. Nothing of it is kept.",
  ),
  "GET /webhooks/{webhookId}/deliveries": note(ON_WEBHOOK),
  "GET /webhooks/{webhookId}/deliveries/{deliveryId}": note(ON_DELIVERY),
  "POST /webhooks/{webhookId}/deliveries/{deliveryId}/resend": note([...ON_DELIVERY, "webhook_inactive"]),
  "POST /webhooks/{webhookId}/resend": note([...ON_WEBHOOK, "webhook_inactive"], { since: "2026-11-20T12:00:00Z" }),
};

export function notesOf({ method, path }: DocumentedRoute): RouteNotes {
  const { example, ...notes } = NOTES[`${method.toUpperCase()} ${path}`] ?? {};
  return { ...notes, example: { ...example, params: { ...PARAMS, ...example?.params } } };
}
