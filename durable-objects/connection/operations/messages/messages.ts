import type { OperationName } from "../../../../src/protocol/operations.ts";
import type { HandlersOf } from "../handlers.ts";
import { messageChanges } from "./changes.ts";
import { ownDevices } from "./own-devices.ts";
import type { MessageDependencies } from "./dependencies.ts";
import { messageReads } from "./reads.ts";
import { messageSends } from "./send.ts";

export function messageOperations(deps: MessageDependencies): HandlersOf<Extract<OperationName, `messages.${string}`>> {
  return { ...messageSends(deps), ...messageReads(deps), ...messageChanges(deps), ...ownDevices(deps) };
}
