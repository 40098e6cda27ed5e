import type { CommandHandlers } from "../command-handlers.ts";
import { groupInvitations } from "./invitations.ts";
import { groupMembers } from "./members.ts";
import { groupReads } from "./reads.ts";
import { groupSettings } from "./settings.ts";

export const groupCommands: CommandHandlers<"groups"> = { ...groupReads, ...groupMembers, ...groupSettings, ...groupInvitations };
