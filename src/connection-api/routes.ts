// Every route of Surface B, family by family.
import type { Route } from "./route.ts";
import { chatRoutes } from "./routes/chats.ts";
import { groupInvitationRoutes } from "./routes/group-invitations.ts";
import { groupParticipantRoutes } from "./routes/group-participants.ts";
import { groupRoutes } from "./routes/groups.ts";
import { instanceRoutes } from "./routes/instance.ts";
import { messageRoutes } from "./routes/messages.ts";

export const ROUTES: readonly Route[] = [...instanceRoutes, ...messageRoutes, ...chatRoutes, ...groupRoutes, ...groupParticipantRoutes, ...groupInvitationRoutes];
