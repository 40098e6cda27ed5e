import type { Runners } from "../runners.ts";
import { groupInvitations } from "./invitations.ts";
import { groupMembers } from "./members.ts";
import { groupReads } from "./reads.ts";
import { groupSettings } from "./settings.ts";

export const groupRunners: Runners<"groups"> = { ...groupReads, ...groupMembers, ...groupSettings, ...groupInvitations };
