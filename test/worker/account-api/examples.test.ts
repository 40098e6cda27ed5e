// Runs every example of the API description, with real ids in place of the sample ids.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { accountDocument } from "#root/src/api/docs/account/document.ts";
import { FAMILIES } from "#root/src/api/account/routes.ts";
import { credentialOf, exampleRequest } from "#root/src/http/openapi/requests.ts";
import type { Operation } from "#root/src/http/openapi/shape.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { madeProxy } from "../proxies/world.ts";
import { holder, instanceOf } from "../support/accounts.ts";

const document = accountDocument("https://api.example.com", FAMILIES);

/** Expected failures of examples on an instance without a connection or history. */
const REFUSED: Readonly<Record<string, string>> = {
  // No bridge is connected.
  "POST /api/admin/proxies/{proxyId}/check": "unavailable",
  "POST /api/admin/proxies/{proxyId}/assign": "instance_not_found",
  "GET /api/instances/{instanceId}/qr": "qr_not_available",
  "POST /api/me/delete": "validation_error",
  "POST /api/instances/{instanceId}/pairing-code": "instance_not_connected",
  "GET /api/instances/{instanceId}/passkey": "passkey_not_wanted",
  "POST /api/instances/{instanceId}/passkey": "passkey_not_wanted",
  "POST /api/instances/{instanceId}/history-sync": "chat_not_found",
  "GET /api/instances/{instanceId}/lids/{lid}": "instance_not_connected",
  "GET /api/instances/{instanceId}/lids/pn/{phone}": "instance_not_connected",
  "POST /api/instances/{instanceId}/chats/{chatId}/messages/{messageId}/labels/{labelId}": "instance_not_connected",
  "DELETE /api/instances/{instanceId}/chats/{chatId}/messages/{messageId}/labels/{labelId}": "instance_not_connected",
  "GET /api/instances/{instanceId}/profile/privacy": "instance_not_connected",
  "PATCH /api/instances/{instanceId}/profile/privacy": "instance_not_connected",
  "POST /api/webhooks/{webhookId}/test": "instance_not_found",
  "POST /api/admin/instances/{instanceId}/move": "instance_not_connected",
  "POST /api/admin/bridges/{bridgeId}/drain": "bridge_not_found",
  "POST /api/admin/bridges/{bridgeId}/restart": "bridge_not_found",
  "GET /api/admin/bridges/{bridgeId}/metrics": "bridge_not_found",
  "DELETE /api/instances/{instanceId}/listeners/{listenerId}": "listener_not_found",
  "GET /api/webhooks/{webhookId}/deliveries/{deliveryId}": "delivery_not_found",
  "POST /api/webhooks/{webhookId}/deliveries/{deliveryId}/resend": "delivery_not_found",
};

/** Expected failures on the per-instance routes that both APIs share. */
const REFUSED_OF_INSTANCE: Readonly<Record<string, string>> = {
  call_not_found: `
    POST /calls/reject
  `,
  chat_not_found: `
    DELETE /chats/{chatId}
    GET /chats/{chatId}
    POST /chats/{chatId}/archive
    DELETE /chats/{chatId}/messages
    POST /chats/{chatId}/mute
    POST /chats/{chatId}/pin
    POST /chats/{chatId}/seen
    POST /chats/{chatId}/unarchive
    POST /chats/{chatId}/unmute
    POST /chats/{chatId}/unpin
    POST /chats/{chatId}/unread
  `,
  contact_not_found: `
    DELETE /contacts/{contactId}
    GET /contacts/{contactId}
  `,
  group_not_found: `
    POST /messages/group-invite
  `,
  instance_not_connected: `
    POST /channels
    DELETE /channels/{channelId}
    GET /channels/{channelId}
    PATCH /channels/{channelId}
    POST /channels/{channelId}/follow
    GET /channels/{channelId}/messages
    POST /channels/{channelId}/messages/image
    POST /channels/{channelId}/messages/text
    POST /channels/{channelId}/messages/video
    PUT /channels/{channelId}/messages/{serverId}/reaction
    POST /channels/{channelId}/mute
    POST /channels/{channelId}/unfollow
    POST /channels/{channelId}/unmute
    PUT /chats/{chatId}/disappearing
    GET /chats/{chatId}/labels
    PUT /chats/{chatId}/labels
    DELETE /chats/{chatId}/labels/{labelId}
    POST /chats/{chatId}/labels/{labelId}
    GET /chats/{chatId}/picture
    GET /chats/{chatId}/presence
    POST /chats/{chatId}/presence/subscribe
    POST /chats/{chatId}/typing
    GET /contacts/blocked
    GET /contacts/check
    POST /contacts/check
    PUT /contacts/{contactId}
    GET /contacts/{contactId}/about
    POST /contacts/{contactId}/block
    GET /contacts/{contactId}/business-profile
    GET /contacts/{contactId}/picture
    POST /contacts/{contactId}/unblock
    POST /groups
    POST /groups/join
    GET /groups/join-info
    DELETE /groups/{groupId}
    GET /groups/{groupId}
    PUT /groups/{groupId}/description
    GET /groups/{groupId}/invite-code
    POST /groups/{groupId}/invite-code/revoke
    POST /groups/{groupId}/leave
    GET /groups/{groupId}/participants
    POST /groups/{groupId}/participants/add
    POST /groups/{groupId}/participants/demote
    POST /groups/{groupId}/participants/promote
    POST /groups/{groupId}/participants/remove
    DELETE /groups/{groupId}/picture
    PUT /groups/{groupId}/picture
    GET /groups/{groupId}/requests
    POST /groups/{groupId}/requests/approve
    POST /groups/{groupId}/requests/reject
    GET /groups/{groupId}/settings
    PATCH /groups/{groupId}/settings
    PUT /groups/{groupId}/subject
    GET /labels
    POST /labels
    DELETE /labels/{labelId}
    PATCH /labels/{labelId}
    GET /labels/{labelId}/chats
    POST /messages/audio
    POST /messages/contact
    POST /messages/document
    POST /messages/event
    POST /messages/image
    POST /messages/location
    POST /messages/poll
    POST /messages/sticker
    POST /messages/text
    POST /messages/video
    POST /messages/voice
    PUT /presence
    GET /profile
    PUT /profile/about
    PUT /profile/name
    DELETE /profile/picture
    PUT /profile/picture
    POST /status/image
    POST /status/text
    POST /status/video
    POST /status/voice
  `,
  message_not_found: `
    DELETE /chats/{chatId}/messages/{messageId}
    GET /chats/{chatId}/messages/{messageId}
    PUT /chats/{chatId}/messages/{messageId}
    GET /chats/{chatId}/messages/{messageId}/media
    POST /chats/{chatId}/messages/{messageId}/pin
    PUT /chats/{chatId}/messages/{messageId}/reaction
    PUT /chats/{chatId}/messages/{messageId}/star
    POST /chats/{chatId}/messages/{messageId}/unpin
    GET /chats/{chatId}/messages/{messageId}/votes
    GET /messages/{messageId}
    PATCH /messages/waiting/{messageId}
    DELETE /status/{messageId}
  `,
  not_supported: `
    POST /messages/buttons
    POST /messages/list
    POST /messages/template
  `,
  source_message_not_found: `
    POST /messages/forward
  `,
};

const OF_INSTANCE = "/api/instances/{instanceId}/";

const REFUSED_EXAMPLES = new Map(Object.entries(REFUSED));
for (const [code, rows] of Object.entries(REFUSED_OF_INSTANCE)) {
  for (const [, method, path] of rows.matchAll(/(\w+) (\S+)/g)) REFUSED_EXAMPLES.set(`${method} /api/instances/{instanceId}${path}`, code);
}

/** A recent time, in place of the sample times. */
const LATELY = new Date(Date.now() - 60_000).toISOString();

/** The parameter's example in the path. */
const exampleOf = ({ parameters = [] }: Operation, name: string) => {
  const example = parameters.find((one) => one.name === name)?.example;
  return typeof example === "string" ? example : name;
};

/** Omits streams, which never end; events.test.ts reads them. */
const examples = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, method, operation }))
    .filter(({ operation }) => operation.responses["200"]?.content?.["text/event-stream"] === undefined),
);

async function accountWith(instance: boolean) {
  const account = await holder();
  return { ...account, instanceId: instance ? ((await instanceOf(account.call)).id as string) : "" };
}

let shared: ReturnType<typeof accountWith> | null = null;

/** Refused examples change nothing, so they share one instance. */
const accountFor = (name: string, path: string) =>
  REFUSED_EXAMPLES.has(name) && path.startsWith(OF_INSTANCE) ? (shared ??= accountWith(true)) : accountWith(path.includes("{instanceId}"));

describe.each(examples)("$name", ({ name, path, method, operation }) => {
  it("is answered as documented", async () => {
    const { call, token, keyId, who, instanceId } = await accountFor(name, path);
    const own: Record<string, string> = {};
    if (path.includes("{keyId}")) own["keyId"] = keyId;
    if (path.includes("{instanceId}")) own["instanceId"] = instanceId;
    if (path.startsWith("/api/admin/")) await setRole(env.DB, who.user.id, "admin");
    if (path.includes("{userId}")) own["userId"] = (await holder()).who.user.id;
    if (path.includes("{proxyId}")) own["proxyId"] = (await madeProxy(call)).id;
    if (path.includes("{webhookId}")) {
      const webhook = { url: "https://hooks.example.com/", events: ["message.received"] };
      own["webhookId"] = (await call("POST", "/webhooks", webhook)).body.data.id;
    }
    const shown = exampleRequest(method, path, operation);
    const ask = credentialOf(operation)?.startsWith("Authorization") === true ? token : call;
    const where = Object.entries(own).reduce((text, [param, id]) => text.replace(exampleOf(operation, param), id), shown.path);
    const body = shown.body === undefined ? undefined : JSON.stringify(shown.body).replace("2026-11-20T12:00:00Z", LATELY);
    const answer = await ask(shown.method, where.replace(/^\/api/, ""), body);
    expect([name, answer.body.error?.code]).toEqual([name, REFUSED_EXAMPLES.get(name)]);
    expect(Object.keys(operation.responses)).toContain(String(answer.status));
  });
});
