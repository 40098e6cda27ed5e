import { SAMPLE } from "../sample-ids.ts";
import { NETWORK, note, type Notes } from "./note.ts";
import { PNG } from "./tiny-files.ts";

const ON_GROUP = [...NETWORK, "group_not_found", "not_group_admin"] as const;
const someone = { participants: [SAMPLE.other] } as const;

export const groupNotes: Notes = {
  "GET /groups": note([], undefined, { query: { limit: 20 } }),
  "POST /groups": note([...NETWORK, "invalid_number"], { subject: "Equipe", participants: [SAMPLE.contact] }),
  "GET /groups/join-info": note([...NETWORK, "group_not_found", "invite_invalid"], undefined, { query: { code: SAMPLE.invite } }),
  "POST /groups/join": note([...NETWORK, "group_not_found", "invite_invalid"], { code: SAMPLE.invite }),
  "GET /groups/{groupId}": note(ON_GROUP),
  "DELETE /groups/{groupId}": { ...note(ON_GROUP), description: "Leaves the group and deletes the chat." },
  "PUT /groups/{groupId}/subject": note(ON_GROUP, { subject: "Equipe de vendas" }),
  "PUT /groups/{groupId}/description": note(ON_GROUP, { description: "Combinados da semana" }),
  "PUT /groups/{groupId}/picture": note([...ON_GROUP, "media_too_large", "media_unreachable", "media_invalid"], {
    media: { base64: PNG, mimetype: "image/png" },
  }),
  "DELETE /groups/{groupId}/picture": note(ON_GROUP),
  "GET /groups/{groupId}/settings": note(ON_GROUP),
  "PATCH /groups/{groupId}/settings": note(ON_GROUP, { messages_admins_only: true }),
  "GET /groups/{groupId}/participants": note(ON_GROUP),
  "POST /groups/{groupId}/participants/add": note([...ON_GROUP, "invalid_number"], someone),
  "POST /groups/{groupId}/participants/remove": note([...ON_GROUP, "invalid_number"], someone),
  "POST /groups/{groupId}/participants/promote": note([...ON_GROUP, "invalid_number"], someone),
  "POST /groups/{groupId}/participants/demote": note([...ON_GROUP, "invalid_number"], someone),
  "GET /groups/{groupId}/invite-code": note(ON_GROUP),
  "POST /groups/{groupId}/invite-code/revoke": note(ON_GROUP),
  "POST /groups/{groupId}/leave": note(ON_GROUP),
  "GET /groups/{groupId}/requests": note(ON_GROUP),
  "POST /groups/{groupId}/requests/approve": note([...ON_GROUP, "invalid_number"], someone),
  "POST /groups/{groupId}/requests/reject": note([...ON_GROUP, "invalid_number"], someone),
};
