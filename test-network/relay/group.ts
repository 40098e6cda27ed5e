// Group messages: one ciphertext for all (`skmsg`), and an `enc` node with the sender key for each device that lacks it.
import type { BinaryNode } from "baileys";
import type { Account, Device, Group } from "../model.ts";
import type { Network } from "../network-state.ts";
import { child, childrenOf, children, SERVER_JID, STATUS_FEED } from "../node.ts";
import { addressed, envelopeOf, type RelayOutcome } from "./envelope.ts";

export function relayToGroup(
  network: Network<"delivery" | "directory" | "groups" | "strict">,
  from: Device,
  message: BinaryNode,
): RelayOutcome {
  const group = network.groups.get(message.attrs["to"] ?? "");
  if (!group) return { error: "404" };
  const role = group.members.get(from.account.pn);
  if (!role || (group.announce && role === "member")) return { error: "403" };
  const members = [...group.members.keys()].flatMap((pn) => network.directory.account(pn) ?? []);
  fanOut(network, from, message, members, group);
  return {};
}

export function relayToStatus(network: Network<"delivery" | "directory" | "strict">, from: Device, message: BinaryNode): RelayOutcome {
  const members = new Set<Account>();
  const parts = children(child(message, "participants"), "to");
  // Phone addresses are refused here, because the real network no longer accepts them.
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
