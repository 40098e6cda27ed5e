// Relays messages. The server sees addresses and ciphertext. A repeated message is relayed again; phones drop the copy.
import type { BinaryNode } from "baileys";
import type { Device } from "../model.ts";
import type { Network, NetworkState } from "../network-state.ts";
import { node, nowSeconds, STATUS_FEED } from "../node.ts";
import { relayDirect } from "./direct.ts";
import type { RelayOutcome } from "./envelope.ts";
import { relayToGroup, relayToStatus } from "./group.ts";
import { relayToNewsletter } from "./newsletter.ts";

export function relay(network: NetworkState, from: Device, message: BinaryNode): void {
  const fault = network.faults.onSend(from, message);
  if (fault?.kind === "lose_send") return;
  if (fault?.kind === "refuse_send") return ack(network, from, message, { error: String(fault.code) });
  const outcome = deliver(network, from, message);
  if (outcome.error === undefined) network.stats.relayed++;
  if (fault?.kind !== "swallow_send") ack(network, from, message, outcome);
}

function deliver(network: NetworkState, from: Device, message: BinaryNode): RelayOutcome {
  const { to = "" } = message.attrs;
  if (to === STATUS_FEED) return relayToStatus(network, from, message);
  if (to.endsWith("@g.us")) return relayToGroup(network, from, message);
  if (to.endsWith("@newsletter")) return relayToNewsletter(network, from, message);
  return relayDirect(network, from, message);
}

function ack(network: Network<"delivery">, from: Device, { attrs }: BinaryNode, outcome: RelayOutcome): void {
  network.delivery.emit(from.online, node("ack", { class: "message", id: attrs["id"], from: attrs["to"], t: nowSeconds(), ...outcome }));
}
