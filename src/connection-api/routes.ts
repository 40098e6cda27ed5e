// Every route of the Connection API, family by family.
import type { Route } from "./route.ts";
import { callRoutes } from "./routes/calls.ts";
import { channelMessageRoutes } from "./routes/channel-messages.ts";
import { channelRoutes } from "./routes/channels.ts";
import { chatActionRoutes } from "./routes/chat-actions.ts";
import { chatLabelRoutes } from "./routes/chat-labels.ts";
import { chatMessageRoutes } from "./routes/chat-messages.ts";
import { chatRoutes } from "./routes/chats.ts";
import { contactDetailRoutes } from "./routes/contact-details.ts";
import { contactRoutes } from "./routes/contacts.ts";
import { groupInvitationRoutes } from "./routes/group-invitations.ts";
import { groupParticipantRoutes } from "./routes/group-participants.ts";
import { groupRoutes } from "./routes/groups.ts";
import { healthRoutes } from "./routes/health.ts";
import { instanceRoutes } from "./routes/instance.ts";
import { labelRoutes } from "./routes/labels.ts";
import { messageRoutes } from "./routes/messages.ts";
import { presenceRoutes } from "./routes/presence.ts";
import { profileRoutes } from "./routes/profile.ts";
import { sendCloudRoutes } from "./routes/send-cloud.ts";
import { sendFormRoutes } from "./routes/send-forms.ts";
import { sendRoutes } from "./routes/sends.ts";
import { statusRoutes } from "./routes/statuses.ts";

export const ROUTES: readonly Route[] = [
  ...instanceRoutes,
  ...healthRoutes,
  ...sendRoutes,
  ...sendFormRoutes,
  ...sendCloudRoutes,
  ...messageRoutes,
  ...chatMessageRoutes,
  ...chatRoutes,
  ...chatActionRoutes,
  ...presenceRoutes,
  ...callRoutes,
  ...groupRoutes,
  ...groupParticipantRoutes,
  ...groupInvitationRoutes,
  ...contactRoutes,
  ...contactDetailRoutes,
  ...labelRoutes,
  ...chatLabelRoutes,
  ...profileRoutes,
  ...channelRoutes,
  ...channelMessageRoutes,
  ...statusRoutes,
];
