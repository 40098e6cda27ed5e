import type { BinaryNode } from "baileys";
import { removeDevice } from "../devices.ts";
import type { Device } from "../model.ts";
import type { Network } from "../network-state.ts";
import { child } from "../node.ts";
import { done, refused, type Reply } from "./reply.ts";

export function answerDevices(network: Network<"delivery" | "directory" | "faults" | "store">, from: Device, iq: BinaryNode): Reply {
  const request = child(iq, "remove-companion-device");
  if (!request) return refused(501);
  const device = network.directory.device(request.attrs["jid"]);
  if (!device || device.account !== from.account || device.id === 0) return refused(404);
  removeDevice(network, device);
  return done();
}
