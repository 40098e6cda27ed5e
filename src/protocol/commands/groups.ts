// Groups, as the bridge carries them out (catalogue A6, column "Session").
import { z } from "zod";
import { GroupSnapshot } from "../events.ts";
import { ChatId } from "../ids.ts";
import type { CommandRow } from "./row.ts";

export const GROUP_COMMANDS = {
  /** The whole group, asked of the network. Fails `group_not_found`, `forbidden` (not a member). */
  "groups.get": { effect: "read", input: z.object({ group_id: ChatId }), output: GroupSnapshot },
} as const satisfies Record<string, CommandRow>;
