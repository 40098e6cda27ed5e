import { z } from "@hono/zod-openapi";
import type { ParticipantResult as Result } from "../../protocol/groups.ts";
import { chatIdOf } from "../../protocol/ids.ts";
import { operation, type Family } from "../route.ts";

import { groupId, instanceId, participant } from "../fields.ts";
import { ParticipantResult } from "./schemas.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";

const groupRoutes = [
  operation({
    name: "removeParticipants",
    effect: "change",
    method: "post",
    path: "/instances/{instanceId}/groups/{groupId}/participants/remove",
    scope: "send",
    operation: "groups.participants",
    summary: "Removes participants; the number must be an admin of the group",
    failures: [...NETWORK_FAILURES, "group_not_found", "not_group_admin", "invalid_number"],
    example: { body: { participants: ["5511900000003@c.us"] } },
    params: z.object({ instanceId, groupId }),
    body: z.strictObject({ participants: z.array(participant).min(1).max(256) }),
    input: ({ params, body }) => ({ group_id: params.groupId, action: "remove", participants: body.participants }),
    response: z.object({ data: z.array(ParticipantResult) }),
    render: ({ items }) => ({ data: items.map(renderParticipantResult) }),
  }),
];

export const groups: Family = {
  name: "groups",
  title: "Groups",
  description: "Groups that an instance is in.",
  routes: [...groupRoutes],
};

/** No invites are sent: a person who can only be invited gets the reason `privacy`. */
export function renderParticipantResult({ person, status, code, reason }: Result): z.input<typeof ParticipantResult> {
  return { id: chatIdOf(person), phone: person.phone, status, code, reason, invite_sent: false };
}
