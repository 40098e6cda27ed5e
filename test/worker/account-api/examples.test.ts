// Every example of the description is carried out, with ids of one's own in the places of the shown ones.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { accountDocument } from "../../../src/account-api/docs/document.ts";
import { FAMILIES } from "../../../src/account-api/routes.ts";
import { credentialOf, exampleRequest } from "../../../src/http/openapi/requests.ts";
import type { Operation } from "../../../src/http/openapi/shape.ts";
import { setRole } from "../../../src/services/users/user-table.ts";
import { holder, instanceOf } from "../support/accounts.ts";

const document = accountDocument("https://api.example.com", FAMILIES);

/** What else than success an example comes to on an instance that is not connected and has no history. */
const REFUSED: Readonly<Record<string, string>> = {
  "GET /api/instances/{instanceId}/qr": "qr_not_available",
  "POST /api/me/delete": "validation_error",
  "POST /api/instances/{instanceId}/pairing-code": "instance_not_connected",
  "POST /api/instances/{instanceId}/history-sync": "chat_not_found",
  "POST /api/instances/{instanceId}/chats/{chatId}/seen": "chat_not_found",
  "POST /api/instances/{instanceId}/groups/{groupId}/participants/remove": "instance_not_connected",
  "GET /api/instances/{instanceId}/lids/{lid}": "instance_not_connected",
  "GET /api/instances/{instanceId}/lids/pn/{phone}": "instance_not_connected",
  "POST /api/instances/{instanceId}/chats/{chatId}/messages/{messageId}/labels/{labelId}": "instance_not_connected",
  "DELETE /api/instances/{instanceId}/chats/{chatId}/messages/{messageId}/labels/{labelId}": "instance_not_connected",
  "GET /api/instances/{instanceId}/profile/privacy": "instance_not_connected",
  "PATCH /api/instances/{instanceId}/profile/privacy": "instance_not_connected",
  "POST /api/webhooks/{webhookId}/test": "instance_not_found",
  "POST /api/admin/instances/{instanceId}/move": "instance_not_connected",
  "POST /api/admin/bridges/{bridgeId}/drain": "bridge_not_found",
  "GET /api/webhooks/{webhookId}/deliveries/{deliveryId}": "delivery_not_found",
  "POST /api/webhooks/{webhookId}/deliveries/{deliveryId}/resend": "delivery_not_found",
};

/** Of the two moments an example names, the one that was not long ago. */
const LATELY = new Date(Date.now() - 60_000).toISOString();

/** As the path shows it. */
const exampleOf = ({ parameters = [] }: Operation, name: string) => {
  const example = parameters.find((one) => one.name === name)?.example;
  return typeof example === "string" ? example : name;
};

/** A stream has no end to wait for: events.test.ts reads it. */
const examples = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, method, operation }))
    .filter(({ operation }) => operation.responses["200"]?.content?.["text/event-stream"] === undefined),
);

describe.each(examples)("$name", ({ name, path, method, operation }) => {
  it("is answered as documented", async () => {
    const { call, token, keyId, who } = await holder();
    const own: Record<string, string> = {};
    if (path.includes("{keyId}")) own["keyId"] = keyId;
    if (path.includes("{instanceId}")) own["instanceId"] = (await instanceOf(call)).id;
    if (path.startsWith("/api/admin/")) await setRole(env.DB, who.user.id, "admin");
    if (path.includes("{userId}")) own["userId"] = (await holder()).who.user.id;
    if (path.includes("{webhookId}")) {
      const webhook = { url: "https://hooks.example.com/", events: ["message.received"] };
      own["webhookId"] = (await call("POST", "/webhooks", webhook)).body.data.id;
    }
    const shown = exampleRequest(method, path, operation);
    const ask = credentialOf(operation)?.startsWith("Authorization") === true ? token : call;
    const where = Object.entries(own).reduce((text, [param, id]) => text.replace(exampleOf(operation, param), id), shown.path);
    const body = shown.body === undefined ? undefined : JSON.stringify(shown.body).replace("2026-11-20T12:00:00Z", LATELY);
    const answer = await ask(shown.method, where.replace(/^\/api/, ""), body);
    expect([name, answer.body.error?.code]).toEqual([name, REFUSED[name]]);
    expect(Object.keys(operation.responses)).toContain(String(answer.status));
  });
});
