import { z } from "@hono/zod-openapi";
import { renderParticipantResult } from "./render.ts";
import { operation } from "../route.ts";
import { groupId, instanceId, participant } from "../fields.ts";
import { ParticipantResult } from "./schemas.ts";

export const groupRoutes = [
  operation({
    method: "post",
    path: "/instances/{instanceId}/groups/{groupId}/participants/remove",
    tag: "groups",
    scope: "send",
    operation: "groups.participants",
    summary: "Removes participants; the number must be an admin of the group",
    params: z.object({ instanceId, groupId }),
    body: z.strictObject({ participants: z.array(participant).min(1).max(256) }),
    input: ({ params, body }) => ({ group_id: params.groupId, action: "remove", participants: body.participants }),
    response: z.object({ data: z.array(ParticipantResult) }),
    render: ({ items }) => ({ data: items.map(renderParticipantResult) }),
  }),
];
