// The Connection API's route index: what the route table must hold, no more and no less.
// `idem` accepts Idempotency-Key, `rr` falls under the repeated-read limit, `c10` may come from the 10-second cache, `nc` never.

export type IndexRow = { method: string; path: string; flags: readonly string[] };

const INDEX = `
GET /instance rr c10
GET /instance/qr rr nc
POST /instance/pairing-code idem
GET /instance/passkey rr nc
POST /instance/passkey idem
POST /instance/connect idem
POST /instance/disconnect idem
POST /instance/restart idem
GET /instance/health
GET /instance/capabilities
POST /messages/text idem
POST /messages/image idem
POST /messages/video idem
POST /messages/audio idem
POST /messages/voice idem
POST /messages/document idem
POST /messages/sticker idem
POST /messages/location idem
POST /messages/contact idem
POST /messages/poll idem
POST /messages/list idem
POST /messages/buttons idem
POST /messages/template idem
POST /messages/forward idem
POST /messages/event idem
POST /messages/group-invite idem
GET /messages nc
GET /messages/{messageId} nc
GET /chats/{chatId}/messages rr c10
DELETE /chats/{chatId}/messages idem
GET /chats/{chatId}/messages/{messageId} nc
PUT /chats/{chatId}/messages/{messageId} idem
DELETE /chats/{chatId}/messages/{messageId} idem
PUT /chats/{chatId}/messages/{messageId}/reaction idem
PUT /chats/{chatId}/messages/{messageId}/star idem
POST /chats/{chatId}/messages/{messageId}/pin idem
POST /chats/{chatId}/messages/{messageId}/unpin idem
GET /chats/{chatId}/messages/{messageId}/media nc
GET /chats/{chatId}/messages/{messageId}/votes nc
GET /chats rr c10
GET /chats/{chatId} rr c10
DELETE /chats/{chatId} idem
POST /chats/{chatId}/seen idem
POST /chats/{chatId}/unread idem
POST /chats/{chatId}/archive idem
POST /chats/{chatId}/unarchive idem
POST /chats/{chatId}/pin idem
POST /chats/{chatId}/unpin idem
POST /chats/{chatId}/mute idem
POST /chats/{chatId}/unmute idem
POST /chats/{chatId}/typing idem
PUT /chats/{chatId}/disappearing idem
GET /chats/{chatId}/picture rr c10
GET /chats/{chatId}/labels rr c10
PUT /chats/{chatId}/labels idem
POST /chats/{chatId}/labels/{labelId} idem
DELETE /chats/{chatId}/labels/{labelId} idem
GET /chats/{chatId}/presence rr nc
POST /chats/{chatId}/presence/subscribe idem
DELETE /chats/{chatId}/presence/subscribe idem
GET /groups rr c10
POST /groups idem
GET /groups/join-info rr c10
POST /groups/join idem
GET /groups/{groupId} rr c10
DELETE /groups/{groupId} idem
PUT /groups/{groupId}/subject idem
PUT /groups/{groupId}/description idem
PUT /groups/{groupId}/picture idem
DELETE /groups/{groupId}/picture idem
GET /groups/{groupId}/settings rr c10
PATCH /groups/{groupId}/settings idem
GET /groups/{groupId}/participants rr c10
POST /groups/{groupId}/participants/add idem
POST /groups/{groupId}/participants/remove idem
POST /groups/{groupId}/participants/promote idem
POST /groups/{groupId}/participants/demote idem
GET /groups/{groupId}/invite-code rr c10
POST /groups/{groupId}/invite-code/revoke idem
POST /groups/{groupId}/leave idem
GET /groups/{groupId}/requests rr c10
POST /groups/{groupId}/requests/approve idem
POST /groups/{groupId}/requests/reject idem
GET /contacts rr c10
GET /contacts/check rr c10
POST /contacts/check idem
GET /contacts/blocked rr c10
GET /contacts/{contactId} rr c10
PUT /contacts/{contactId} idem
DELETE /contacts/{contactId} idem
GET /contacts/{contactId}/picture rr c10
GET /contacts/{contactId}/about rr c10
GET /contacts/{contactId}/business-profile rr c10
POST /contacts/{contactId}/block idem
POST /contacts/{contactId}/unblock idem
GET /labels rr c10
POST /labels idem
PATCH /labels/{labelId} idem
DELETE /labels/{labelId} idem
GET /labels/{labelId}/chats rr c10
GET /channels
POST /channels idem
GET /channels/{channelId}
PATCH /channels/{channelId} idem
DELETE /channels/{channelId} idem
POST /channels/{channelId}/follow idem
POST /channels/{channelId}/unfollow idem
POST /channels/{channelId}/mute idem
POST /channels/{channelId}/unmute idem
GET /channels/{channelId}/messages nc
POST /channels/{channelId}/messages/text idem
POST /channels/{channelId}/messages/image idem
POST /channels/{channelId}/messages/video idem
PUT /channels/{channelId}/messages/{serverId}/reaction idem
POST /status/text idem
POST /status/image idem
POST /status/video idem
POST /status/voice idem
GET /status/received
DELETE /status/{messageId} idem
PUT /presence idem
GET /presence rr c10
POST /calls/reject idem
GET /calls
GET /profile rr c10
PUT /profile/name idem
PUT /profile/about idem
PUT /profile/picture idem
DELETE /profile/picture idem
`;

export const CONNECTION_ROUTE_INDEX: readonly IndexRow[] = INDEX.trim()
  .split("\n")
  .map((line) => {
    const [method = "", path = "", ...flags] = line.split(" ");
    return { method, path, flags };
  });
