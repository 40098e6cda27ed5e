import type { BinaryNode } from "baileys";
import type { Account, Device } from "../model.ts";
import type { Network } from "../network-state.ts";
import { child, childrenOf, children, SERVER_JID } from "../node.ts";
import { addressesOf, namesByLid } from "../naming.ts";
import { addressed, envelopeOf, type RelayOutcome } from "./envelope.ts";

type Attributes = Record<string, string | undefined>;

/** One-to-one messages: an `enc` node for each device of the recipient, and a copy for each other device of the sender. */
export function relayDirect(
  network: Network<"addressing" | "delivery" | "directory" | "strict" | "tokens">,
  from: Device,
  message: BinaryNode,
): RelayOutcome {
  const { to = "" } = message.attrs;
  const target = network.directory.find(to);
  if (!target) return { error: "404" };
  const byLid = network.addressing === "lid" || to.endsWith("@lid") || from.account.lidOnly;
  const parts = children(child(message, "participants"), "to");
  if (parts.length === 0) return relayToOneDevice(network, from, message, byLid);
  if (target.lidOnly && from.id !== 0 && target !== from.account && to.endsWith(SERVER_JID)) return { error: "463" };
  if (network.strict && from.id !== 0 && !isOfOneKind(to, parts)) return { error: "400" };
  if (network.tokens.refuses(from, target, message)) return { error: "463" };
  network.directory.acquaint(from.account, target);
  const envelope = envelopeOf(from, message);
  const fromOther = senderAttributes(from, byLid);
  const fromSelf = copyAttributes(from, target, byLid);
  // The copy tells the phone no more about the recipient than the linked device has sent.
  if (network.strict && from.id !== 0 && to.endsWith("@lid") && fromSelf["peer_recipient_pn"])
    fromSelf["peer_recipient_pn"] = message.attrs["peer_recipient_pn"];
  const blocked = target.blocklist.has(from.account.lid);
  for (const part of parts) {
    const device = network.directory.device(part.attrs["jid"]);
    if (!device || device === from) continue;
    const ownCopy = device.account === from.account;
    // A blocked sender still receives an ack, as on the real network.
    if (!ownCopy && (device.account !== target || blocked)) continue;
    const attrs = ownCopy && target !== from.account ? fromSelf : fromOther;
    network.delivery.enqueue(device, addressed(envelope, attrs, childrenOf(part)));
  }
  return target.moved && to.endsWith(SERVER_JID) ? { refresh_lid: "true" } : {};
}

function isOfOneKind(to: string, parts: readonly BinaryNode[]): boolean {
  return parts.every(({ attrs }) => attrs["jid"]?.endsWith("@lid") === to.endsWith("@lid"));
}

// A message between devices of one account (`category=peer`), or a resend for one device.
function relayToOneDevice(network: Network<"delivery" | "directory">, from: Device, message: BinaryNode, byLid: boolean): RelayOutcome {
  const device = network.directory.device(message.attrs["to"]);
  if (!device || device.account.blocklist.has(from.account.lid)) return {};
  const envelope = envelopeOf(from, message);
  const { recipient } = message.attrs;
  const ownCopy = device.account === from.account && recipient !== undefined;
  const peer = ownCopy && byLid ? network.directory.find(recipient)?.pnJid : undefined;
  const attrs = ownCopy ? { from: byLid ? from.lidJid : from.pnJid, recipient, peer_recipient_pn: peer } : senderAttributes(from, byLid);
  network.delivery.enqueue(device, addressed(envelope, attrs, envelope.shared));
  return {};
}

function senderAttributes(from: Device, byLid: boolean): Attributes {
  const { other } = addressesOf(from.account, byLid);
  return namesByLid(from.account, byLid) ? { from: from.lidJid, sender_pn: other } : { from: from.pnJid, sender_lid: other };
}

// Without `sender_pn|lid`: a client would take it for the recipient's second address.
function copyAttributes(from: Device, target: Account, byLid: boolean): Attributes {
  const { jid: recipient, other } = addressesOf(target, byLid);
  return namesByLid(target, byLid)
    ? { from: from.lidJid, recipient, peer_recipient_pn: other }
    : { from: from.pnJid, recipient, peer_recipient_lid: other };
}
