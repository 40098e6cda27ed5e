import type { OperationName } from "../../../../src/protocol/operations.ts";
import type { HandlersOf } from "../handlers.ts";
import { groupMembers } from "./members.ts";
import type { GroupParts } from "./read-group.ts";
import { groupReads } from "./reads.ts";
import { groupSettings } from "./settings.ts";

export function groupOperations(parts: GroupParts): HandlersOf<Extract<OperationName, `groups.${string}`>> {
  return { ...groupReads(parts), ...groupMembers(parts), ...groupSettings(parts) };
}
