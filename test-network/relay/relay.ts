// Relays messages. The server sees only addresses and ciphertext. It relays repeated messages again, and phones drop the duplicates.
import type { BinaryNode } from "baileys";
import type { Device, Newsletter, Account, Group } from "../model.ts";
import type { Network, NetworkState } from "../network-state.ts";
import { node, nowSeconds, STATUS_FEED, child, childrenOf, children, SERVER_JID, addressesOf, namesByLid } from "../node.ts";
import { startChat } from "../new-chats.ts";
import { notifyReaction } from "../newsletters/newsletter.ts";

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

/** Channel messages are not encrypted, as on the real network. */
function relayToNewsletter(
  network: Network<"delivery" | "directory" | "newsletters" | "store">,
  from: Device,
  message: BinaryNode,
): RelayOutcome {
  const newsletter = network.newsletters.get(message.attrs["to"] ?? "");
  if (!newsletter) return { error: "404" };
  if (message.attrs["type"] === "reaction") return react(network, newsletter, from, message);
  const role = newsletter.followers.get(from.account.pn)?.role;
  if (role !== "OWNER" && role !== "ADMIN") return { error: "403" };
  return publish(network, newsletter, from, message);
}

function publish(
  network: Network<"delivery" | "directory" | "store">,
  newsletter: Newsletter,
  from: Device,
  message: BinaryNode,
): RelayOutcome {
  const { id = "", type = "text", edit } = message.attrs;
  const content = childrenOf(message).filter(({ tag }) => tag === "plaintext" || tag === "meta");
  const serverId = String(++newsletter.lastServerId);
  const at = nowSeconds();
  const post = { id, serverId, at, type, content, viewers: new Set<string>(), reactions: new Map<string, string>() };
  newsletter.messages.set(serverId, post);
  network.store.saveNewsletter(newsletter);
  network.store.saveNewsletterMessage(newsletter, post);
  const stanza = node("message", { from: newsletter.id, id, server_id: serverId, t: at, type, edit }, content);
  for (const pn of newsletter.followers.keys()) {
    for (const device of network.directory.account(pn)?.devices.values() ?? []) {
      if (device !== from) network.delivery.enqueue(device, stanza);
    }
  }
  return { server_id: serverId };
}

function react(network: Network<"delivery" | "store">, newsletter: Newsletter, from: Device, message: BinaryNode): RelayOutcome {
  if (!newsletter.followers.has(from.account.pn)) return { error: "403" };
  const post = newsletter.messages.get(message.attrs["server_id"] ?? "");
  if (!post) return { error: "404" };
  const code = child(message, "reaction")?.attrs["code"];
  if (code === undefined || code === "") post.reactions.delete(from.account.pn);
  else post.reactions.set(from.account.pn, code);
  network.store.saveNewsletterMessage(newsletter, post);
  notifyReaction(network, newsletter, post, code ?? "");
  return {};
}

type Attributes = Record<string, string | undefined>;

/** A one-to-one message has an `enc` node for each device of the recipient, and a copy for each other device of the sender. */
function relayDirect(
  network: Network<"addressing" | "delivery" | "directory" | "store" | "strict" | "tokens">,
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
  const barred = startChat(network, from, target);
  if (barred !== null) return { error: barred };
  network.directory.acquaint(from.account, target);
  const envelope = envelopeOf(from, message);
  const fromOther = senderAttributes(from, byLid);
  const fromSelf = copyAttributes(from, target, byLid);
  // The phone's copy must not say more about the recipient than the linked device has sent.
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

// Relays a message between an account's own devices (`category=peer`), or a resend for one device.
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

// Omits `sender_pn|lid`, because a client would mistake it for the recipient's second address.
function copyAttributes(from: Device, target: Account, byLid: boolean): Attributes {
  const { jid: recipient, other } = addressesOf(target, byLid);
  return namesByLid(target, byLid)
    ? { from: from.lidJid, recipient, peer_recipient_pn: other }
    : { from: from.pnJid, recipient, peer_recipient_lid: other };
}

// A group message has one ciphertext for all (`skmsg`), and an `enc` node with the sender key for each device that lacks it.
function relayToGroup(network: Network<"delivery" | "directory" | "groups" | "strict">, from: Device, message: BinaryNode): RelayOutcome {
  const group = network.groups.get(message.attrs["to"] ?? "");
  if (!group) return { error: "404" };
  const role = group.members.get(from.account.pn);
  if (!role || (group.announce && role === "member")) return { error: "403" };
  const members = [...group.members.keys()].flatMap((pn) => network.directory.account(pn) ?? []);
  fanOut(network, from, message, members, group);
  return {};
}

function relayToStatus(network: Network<"delivery" | "directory" | "strict">, from: Device, message: BinaryNode): RelayOutcome {
  const members = new Set<Account>();
  const parts = children(child(message, "participants"), "to");
  // Rejects addresses with phone numbers, because the real network no longer accepts them.
  if (network.strict && from.id !== 0 && parts.some(({ attrs }) => attrs["jid"]?.endsWith(SERVER_JID))) return { error: "479" };
  for (const part of parts) {
    const account = network.directory.find(part.attrs["jid"]);
    if (account && !account.blocklist.has(from.account.lid)) members.add(account);
  }
  // A resend goes only to the device that requested it.
  const asker = network.directory.find(message.attrs["participant"]);
  if (asker) members.add(asker);
  fanOut(network, from, message, members, undefined);
  return {};
}

function fanOut(
  network: Network<"delivery" | "directory" | "strict">,
  from: Device,
  message: BinaryNode,
  members: Iterable<Account>,
  group: Group | undefined,
): void {
  const envelope = envelopeOf(from, message);
  const tag = network.strict && !group ? "status" : "message";
  const attrs = { from: group?.id ?? STATUS_FEED, ...participantAttributes(from, group) };
  const own = new Map(
    children(child(message, "participants"), "to").map((part) => [network.directory.device(part.attrs["jid"]), childrenOf(part)]),
  );
  const { participant } = message.attrs;
  const only = participant === undefined ? undefined : network.directory.device(participant);
  if (participant !== undefined && !only) return;
  for (const account of members) {
    for (const device of account.devices.values()) {
      if (device === from || (only && device !== only)) continue;
      network.delivery.enqueue(device, addressed(envelope, attrs, [...(own.get(device) ?? []), ...envelope.shared], tag));
    }
  }
}

function participantAttributes(from: Device, group: Group | undefined): Record<string, string | undefined> {
  return group?.addressing === "lid"
    ? { participant: from.lidJid, participant_pn: from.account.hidesNumber ? undefined : from.account.pnJid, addressing_mode: "lid" }
    : { participant: from.pnJid, participant_lid: from.account.lidJid, addressing_mode: "pn" };
}

/** Child nodes that are forwarded unchanged with the ciphertext. */
const PASSED_ON = new Set(["meta", "biz", "bot", "reporting", "multicast"]);

type RelayOutcome = { error?: string; server_id?: string; refresh_lid?: "true" };

type Envelope = {
  readonly attrs: Record<string, string | undefined>;
  /** The `enc` or `plaintext` node outside `participants`, which is for everyone. */
  readonly shared: BinaryNode[];
  readonly extras: BinaryNode[];
  readonly identity: BinaryNode | undefined;
};

function envelopeOf(from: Device, message: BinaryNode): Envelope {
  const { id, type, edit, category } = message.attrs;
  const parts = childrenOf(message);
  return {
    attrs: { id, type, edit, category, notify: from.account.name, t: nowSeconds() },
    shared: parts.filter(({ tag }) => tag === "enc" || tag === "plaintext"),
    extras: parts.filter(({ tag }) => PASSED_ON.has(tag)),
    identity: child(message, "device-identity"),
  };
}

/** The message for one device. A `pkmsg` includes the sender's device identity. */
function addressed(
  envelope: Envelope,
  attrs: Record<string, string | undefined>,
  ciphertexts: BinaryNode[],
  tag: "message" | "status" = "message",
): BinaryNode {
  const introduces = envelope.identity !== undefined && ciphertexts.some((one) => one.attrs["type"] === "pkmsg");
  const content = [...ciphertexts, ...(introduces && envelope.identity ? [envelope.identity] : []), ...envelope.extras];
  return node(tag, { ...envelope.attrs, ...attrs }, content);
}
