// The Account API's route index: what the route table must hold, no more and no less. `idem` accepts Idempotency-Key; the status is the one
// of success; who may ask stands last.

export type AccountIndexRow = { method: string; path: string; status: number; idempotent: boolean; who: string };

const INDEX = `
GET /health 200 none
GET /health/ready 200 none
GET /openapi.json 200 none
GET /me 200 user
GET /me/export 200 user
POST /me/delete 202 idem bearer
POST /api-keys 201 idem bearer
GET /api-keys 200 user
DELETE /api-keys/{keyId} 200 idem user
POST /instances 201 idem user
GET /instances 200 user
GET /instances/{instanceId} 200 user
PATCH /instances/{instanceId} 200 idem user
DELETE /instances/{instanceId} 200 idem user
GET /instances/{instanceId}/export 200 user
POST /instances/{instanceId}/connect 200 idem user
POST /instances/{instanceId}/disconnect 200 idem user
POST /instances/{instanceId}/restart 200 idem user
POST /instances/{instanceId}/logout 200 idem user
GET /instances/{instanceId}/qr 200 user
POST /instances/{instanceId}/pairing-code 200 idem user
GET /instances/{instanceId}/status 200 user
GET /instances/{instanceId}/capabilities 200 user
GET /instances/{instanceId}/health 200 user
POST /instances/{instanceId}/history-sync 202 idem user
GET /instances/{instanceId}/history-sync 200 user
GET /instances/{instanceId}/chats/{chatId}/messages 200 user
POST /instances/{instanceId}/chats/{chatId}/seen 200 idem user
POST /instances/{instanceId}/groups/{groupId}/participants/remove 200 idem user
GET /instances/{instanceId}/lids/{lid} 200 user
GET /instances/{instanceId}/lids/pn/{phone} 200 user
POST /instances/{instanceId}/chats/{chatId}/messages/{messageId}/labels/{labelId} 200 idem user
DELETE /instances/{instanceId}/chats/{chatId}/messages/{messageId}/labels/{labelId} 200 idem user
GET /instances/{instanceId}/profile/privacy 200 user
PATCH /instances/{instanceId}/profile/privacy 200 idem user
POST /webhooks 201 idem user
GET /webhooks 200 user
GET /webhooks/{webhookId} 200 user
PATCH /webhooks/{webhookId} 200 idem user
DELETE /webhooks/{webhookId} 200 idem user
POST /webhooks/{webhookId}/test 200 idem user
GET /webhooks/{webhookId}/deliveries 200 user
GET /webhooks/{webhookId}/deliveries/{deliveryId} 200 user
POST /webhooks/{webhookId}/deliveries/{deliveryId}/resend 200 idem user
POST /webhooks/{webhookId}/resend 202 idem user
GET /instances/{instanceId}/events 200 user
GET /admin/users 200 admin
GET /admin/users/{userId} 200 admin
PATCH /admin/users/{userId} 200 idem admin
GET /admin/instances 200 admin
POST /admin/instances/{instanceId}/move 200 idem admin
GET /admin/bridges 200 admin
POST /admin/bridges/{bridgeId}/drain 200 idem admin
GET /admin/audit 200 admin
`;

export const ACCOUNT_ROUTE_INDEX: readonly AccountIndexRow[] = INDEX.trim()
  .split("\n")
  .map((line) => {
    const [method = "", path = "", status = "", ...flags] = line.split(" ");
    return { method, path, status: Number(status), idempotent: flags.includes("idem"), who: flags.at(-1) ?? "" };
  });
