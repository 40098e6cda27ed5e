import type { NetworkClient } from "../../session/network-client.ts";
import type { Stores } from "../../store/stores.ts";
import type { OperationName } from "../../../../src/protocol/operations.ts";
import type { HandlersOf } from "../handlers.ts";
import { groupMembers } from "./members.ts";
import { groupReads } from "./reads.ts";
import { groupSettings } from "./settings.ts";

export function groupOperations(network: NetworkClient, stores: Stores): HandlersOf<Extract<OperationName, `groups.${string}`>> {
  return { ...groupReads(network, stores), ...groupMembers(network, stores), ...groupSettings(network, stores) };
}
