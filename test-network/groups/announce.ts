import type { BinaryNode } from "baileys";
import type { Account, Group } from "../model.ts";
import type { Network } from "../network-state.ts";
import { notifyAccount } from "../notifications.ts";
import { isAdmin, memberJid } from "./view.ts";

/** Notifies all members and `formerMembers`, including those of `by`. */
export function announce(
  network: Network<"delivery" | "directory">,
  group: Group,
  by: Account,
  what: BinaryNode,
  formerMembers: Iterable<string> = [],
): void {
  for (const pn of new Set([...group.members.keys(), ...formerMembers])) notifyMember(network, group, by, what, pn);
}

export function announceToAdmins(
  network: Network<"delivery" | "directory">,
  group: Group,
  by: Account,
  what: BinaryNode,
  also: string[] = [],
): void {
  const admins = [...group.members.keys()].filter((pn) => {
    const account = network.directory.account(pn);
    return account !== undefined && isAdmin(group, account);
  });
  for (const pn of new Set([...admins, ...also])) notifyMember(network, group, by, what, pn);
}

function notifyMember(network: Network<"delivery" | "directory">, group: Group, by: Account, what: BinaryNode, pn: string): void {
  const account = network.directory.account(pn);
  if (!account) return;
  const byLid = group.addressing === "lid";
  notifyAccount(
    network,
    account,
    undefined,
    {
      from: group.id,
      type: "w:gp2",
      participant: memberJid(group, by),
      participant_pn: by.hidesNumber ? undefined : by.pnJid,
      participant_lid: byLid ? undefined : by.lidJid,
      notify: by.name,
      addressing_mode: group.addressing,
    },
    [what],
  );
}
