import type { OperationName } from "../../../../src/protocol/operations.ts";
import type { HandlersOf } from "../handlers.ts";
import { messageChanges } from "./changes.ts";
import { ownDevices } from "./own-devices.ts";
import type { MessageParts } from "./dependencies.ts";
import { messageReads } from "./reads.ts";
import { messageSends } from "./send.ts";

export function messageOperations(parts: MessageParts): HandlersOf<Extract<OperationName, `messages.${string}`>> {
  return { ...messageSends(parts), ...messageReads(parts), ...messageChanges(parts), ...ownDevices(parts) };
}
