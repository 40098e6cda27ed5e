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
GET /instances/{instanceId}/passkey 200 user
POST /instances/{instanceId}/passkey 200 idem user
GET /instances/{instanceId}/status 200 user
GET /instances/{instanceId}/capabilities 200 user
GET /instances/{instanceId}/health 200 user
POST /instances/{instanceId}/history-sync 202 idem user
GET /instances/{instanceId}/history-sync 200 user
GET /instances/{instanceId}/chats/{chatId}/messages 200 user
POST /instances/{instanceId}/chats/{chatId}/seen 200 idem user
POST /instances/{instanceId}/groups/{groupId}/participants/remove 200 idem user
POST /instances/{instanceId}/messages/text 201 idem user
POST /instances/{instanceId}/messages/image 201 idem user
POST /instances/{instanceId}/messages/video 201 idem user
POST /instances/{instanceId}/messages/audio 201 idem user
POST /instances/{instanceId}/messages/voice 201 idem user
POST /instances/{instanceId}/messages/document 201 idem user
POST /instances/{instanceId}/messages/sticker 201 idem user
POST /instances/{instanceId}/messages/location 201 idem user
POST /instances/{instanceId}/messages/contact 201 idem user
POST /instances/{instanceId}/messages/poll 201 idem user
POST /instances/{instanceId}/messages/list 201 idem user
POST /instances/{instanceId}/messages/buttons 201 idem user
POST /instances/{instanceId}/messages/template 201 idem user
POST /instances/{instanceId}/messages/forward 201 idem user
POST /instances/{instanceId}/messages/event 201 idem user
POST /instances/{instanceId}/messages/group-invite 201 idem user
GET /instances/{instanceId}/messages 200 user
GET /instances/{instanceId}/messages/{messageId} 200 user
DELETE /instances/{instanceId}/chats/{chatId}/messages 200 idem user
GET /instances/{instanceId}/chats/{chatId}/messages/{messageId} 200 user
PUT /instances/{instanceId}/chats/{chatId}/messages/{messageId} 200 idem user
DELETE /instances/{instanceId}/chats/{chatId}/messages/{messageId} 200 idem user
PUT /instances/{instanceId}/chats/{chatId}/messages/{messageId}/reaction 200 idem user
PUT /instances/{instanceId}/chats/{chatId}/messages/{messageId}/star 200 idem user
POST /instances/{instanceId}/chats/{chatId}/messages/{messageId}/pin 200 idem user
POST /instances/{instanceId}/chats/{chatId}/messages/{messageId}/unpin 200 idem user
GET /instances/{instanceId}/chats/{chatId}/messages/{messageId}/media 200 user
GET /instances/{instanceId}/chats/{chatId}/messages/{messageId}/votes 200 user
GET /instances/{instanceId}/chats 200 user
GET /instances/{instanceId}/chats/{chatId} 200 user
DELETE /instances/{instanceId}/chats/{chatId} 200 idem user
POST /instances/{instanceId}/chats/{chatId}/unread 200 idem user
POST /instances/{instanceId}/chats/{chatId}/archive 200 idem user
POST /instances/{instanceId}/chats/{chatId}/unarchive 200 idem user
POST /instances/{instanceId}/chats/{chatId}/pin 200 idem user
POST /instances/{instanceId}/chats/{chatId}/unpin 200 idem user
POST /instances/{instanceId}/chats/{chatId}/mute 200 idem user
POST /instances/{instanceId}/chats/{chatId}/unmute 200 idem user
POST /instances/{instanceId}/chats/{chatId}/typing 200 idem user
PUT /instances/{instanceId}/chats/{chatId}/disappearing 200 idem user
GET /instances/{instanceId}/chats/{chatId}/picture 200 user
GET /instances/{instanceId}/chats/{chatId}/labels 200 user
PUT /instances/{instanceId}/chats/{chatId}/labels 200 idem user
POST /instances/{instanceId}/chats/{chatId}/labels/{labelId} 200 idem user
DELETE /instances/{instanceId}/chats/{chatId}/labels/{labelId} 200 idem user
GET /instances/{instanceId}/chats/{chatId}/presence 200 user
POST /instances/{instanceId}/chats/{chatId}/presence/subscribe 200 idem user
DELETE /instances/{instanceId}/chats/{chatId}/presence/subscribe 200 idem user
GET /instances/{instanceId}/groups 200 user
POST /instances/{instanceId}/groups 201 idem user
GET /instances/{instanceId}/groups/join-info 200 user
POST /instances/{instanceId}/groups/join 200 idem user
GET /instances/{instanceId}/groups/{groupId} 200 user
DELETE /instances/{instanceId}/groups/{groupId} 200 idem user
PUT /instances/{instanceId}/groups/{groupId}/subject 200 idem user
PUT /instances/{instanceId}/groups/{groupId}/description 200 idem user
PUT /instances/{instanceId}/groups/{groupId}/picture 200 idem user
DELETE /instances/{instanceId}/groups/{groupId}/picture 200 idem user
GET /instances/{instanceId}/groups/{groupId}/settings 200 user
PATCH /instances/{instanceId}/groups/{groupId}/settings 200 idem user
GET /instances/{instanceId}/groups/{groupId}/participants 200 user
POST /instances/{instanceId}/groups/{groupId}/participants/add 200 idem user
POST /instances/{instanceId}/groups/{groupId}/participants/promote 200 idem user
POST /instances/{instanceId}/groups/{groupId}/participants/demote 200 idem user
GET /instances/{instanceId}/groups/{groupId}/invite-code 200 user
POST /instances/{instanceId}/groups/{groupId}/invite-code/revoke 200 idem user
POST /instances/{instanceId}/groups/{groupId}/leave 200 idem user
GET /instances/{instanceId}/groups/{groupId}/requests 200 user
POST /instances/{instanceId}/groups/{groupId}/requests/approve 200 idem user
POST /instances/{instanceId}/groups/{groupId}/requests/reject 200 idem user
GET /instances/{instanceId}/contacts 200 user
GET /instances/{instanceId}/contacts/check 200 user
POST /instances/{instanceId}/contacts/check 200 idem user
GET /instances/{instanceId}/contacts/blocked 200 user
GET /instances/{instanceId}/contacts/{contactId} 200 user
PUT /instances/{instanceId}/contacts/{contactId} 200 idem user
DELETE /instances/{instanceId}/contacts/{contactId} 200 idem user
GET /instances/{instanceId}/contacts/{contactId}/picture 200 user
GET /instances/{instanceId}/contacts/{contactId}/about 200 user
GET /instances/{instanceId}/contacts/{contactId}/business-profile 200 user
POST /instances/{instanceId}/contacts/{contactId}/block 200 idem user
POST /instances/{instanceId}/contacts/{contactId}/unblock 200 idem user
GET /instances/{instanceId}/labels 200 user
POST /instances/{instanceId}/labels 201 idem user
PATCH /instances/{instanceId}/labels/{labelId} 200 idem user
DELETE /instances/{instanceId}/labels/{labelId} 200 idem user
GET /instances/{instanceId}/labels/{labelId}/chats 200 user
GET /instances/{instanceId}/channels 200 user
POST /instances/{instanceId}/channels 201 idem user
GET /instances/{instanceId}/channels/{channelId} 200 user
PATCH /instances/{instanceId}/channels/{channelId} 200 idem user
DELETE /instances/{instanceId}/channels/{channelId} 200 idem user
POST /instances/{instanceId}/channels/{channelId}/follow 200 idem user
POST /instances/{instanceId}/channels/{channelId}/unfollow 200 idem user
POST /instances/{instanceId}/channels/{channelId}/mute 200 idem user
POST /instances/{instanceId}/channels/{channelId}/unmute 200 idem user
GET /instances/{instanceId}/channels/{channelId}/messages 200 user
POST /instances/{instanceId}/channels/{channelId}/messages/text 201 idem user
POST /instances/{instanceId}/channels/{channelId}/messages/image 201 idem user
POST /instances/{instanceId}/channels/{channelId}/messages/video 201 idem user
PUT /instances/{instanceId}/channels/{channelId}/messages/{serverId}/reaction 200 idem user
POST /instances/{instanceId}/status/text 201 idem user
POST /instances/{instanceId}/status/image 201 idem user
POST /instances/{instanceId}/status/video 201 idem user
POST /instances/{instanceId}/status/voice 201 idem user
GET /instances/{instanceId}/status/received 200 user
DELETE /instances/{instanceId}/status/{messageId} 200 idem user
PUT /instances/{instanceId}/presence 200 idem user
GET /instances/{instanceId}/presence 200 user
POST /instances/{instanceId}/calls/reject 200 idem user
GET /instances/{instanceId}/calls 200 user
GET /instances/{instanceId}/profile 200 user
PUT /instances/{instanceId}/profile/name 200 idem user
PUT /instances/{instanceId}/profile/about 200 idem user
PUT /instances/{instanceId}/profile/picture 200 idem user
DELETE /instances/{instanceId}/profile/picture 200 idem user
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
POST /admin/users 201 idem admin
GET /admin/users/{userId} 200 admin
PATCH /admin/users/{userId} 200 idem admin
DELETE /admin/users/{userId} 200 idem admin
POST /admin/users/{userId}/suspend 200 idem admin
POST /admin/users/{userId}/activate 200 idem admin
PUT /admin/users/{userId}/subscription 200 idem admin
GET /admin/instances 200 admin
POST /admin/instances/{instanceId}/move 200 idem admin
GET /admin/bridges 200 admin
POST /admin/bridges/{bridgeId}/drain 200 idem admin
POST /admin/bridges/{bridgeId}/restart 200 idem admin
GET /admin/bridges/{bridgeId}/metrics 200 admin
GET /admin/fleet 200 admin
PUT /admin/fleet/rollout 200 idem admin
DELETE /admin/fleet/rollout 200 idem admin
GET /admin/client-version 200 admin
PUT /admin/client-version 200 idem admin
GET /admin/statistics 200 admin
GET /admin/proxies 200 admin
POST /admin/proxies 201 idem admin
GET /admin/proxies/health 200 admin
GET /admin/proxies/{proxyId} 200 admin
PATCH /admin/proxies/{proxyId} 200 idem admin
DELETE /admin/proxies/{proxyId} 200 idem admin
POST /admin/proxies/{proxyId}/check 200 idem admin
POST /admin/proxies/{proxyId}/assign 200 idem admin
GET /admin/audit 200 admin
GET /admin/self-check 200 admin
`;

export const ACCOUNT_ROUTE_INDEX: readonly AccountIndexRow[] = INDEX.trim()
  .split("\n")
  .map((line) => {
    const [method = "", path = "", status = "", ...flags] = line.split(" ");
    return { method, path, status: Number(status), idempotent: flags.includes("idem"), who: flags.at(-1) ?? "" };
  });
