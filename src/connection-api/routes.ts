// Every route of Surface B, family by family.
import type { Route } from "./route.ts";
import { chatLabelRoutes } from "./routes/chat-labels.ts";
import { chatRoutes } from "./routes/chats.ts";
import { contactDetailRoutes } from "./routes/contact-details.ts";
import { contactRoutes } from "./routes/contacts.ts";
import { groupInvitationRoutes } from "./routes/group-invitations.ts";
import { groupParticipantRoutes } from "./routes/group-participants.ts";
import { groupRoutes } from "./routes/groups.ts";
import { instanceRoutes } from "./routes/instance.ts";
import { labelRoutes } from "./routes/labels.ts";
import { messageRoutes } from "./routes/messages.ts";
import { profileRoutes } from "./routes/profile.ts";

export const ROUTES: readonly Route[] = [...instanceRoutes, ...messageRoutes, ...chatRoutes, ...groupRoutes, ...groupParticipantRoutes, ...groupInvitationRoutes, ...contactRoutes, ...contactDetailRoutes, ...labelRoutes, ...chatLabelRoutes, ...profileRoutes];
