import type { BinaryNode } from "baileys";
import type { Account, Group, GroupRole } from "../model.ts";
import type { Network } from "../network-state.ts";
import { node } from "../node.ts";
import { notifyAccount } from "../notifications.ts";

export function memberJid(group: Group, account: Account | undefined): string | undefined {
  return group.addressing === "lid" ? account?.lidJid : account?.pnJid;
}

export function participantNode(group: Group, account: Account, role?: GroupRole, extra: Record<string, string> = {}): BinaryNode {
  const other = group.addressing === "lid" ? { phone_number: account.hidesNumber ? undefined : account.pnJid } : { lid: account.lidJid };
  return node("participant", { jid: memberJid(group, account), ...other, type: role === "member" ? undefined : role, ...extra });
}

/** `viewer` is the member who requested the group. Without one, everything is shown. */
export function groupNode(network: Network<"directory">, group: Group, viewer?: Account): BinaryNode {
  const creator = network.directory.account(group.creator);
  const subjectBy = network.directory.account(group.subjectBy);
  const attrs = {
    id: group.id.replace(/@.*/, ""),
    subject: group.subject,
    s_t: group.subjectAt,
    s_o: memberJid(group, subjectBy),
    s_o_pn: subjectBy?.pnJid,
    creation: group.createdAt,
    creator: memberJid(group, creator),
    creator_pn: creator?.pnJid,
    addressing_mode: group.addressing,
    size: String(group.members.size),
  };
  const isHidden = group.community?.hides_members === true && viewer !== undefined && group.members.get(viewer.pn) === "member";
  const shown = [...group.members].filter(([, role]) => !isHidden || role !== "member");
  const members = shown.flatMap(([pn, role]) => {
    const account = network.directory.account(pn);
    return account ? [participantNode(group, account, role)] : [];
  });
  return node("group", attrs, [...members, ...descriptionNodes(network, group), ...settingNodes(group)]);
}

function descriptionNodes(network: Network<"directory">, group: Group): BinaryNode[] {
  if (!group.description) return [];
  const { id, text, by, at } = group.description;
  const author = network.directory.account(by);
  const attrs = { id, t: at, participant: memberJid(group, author), participant_pn: author?.pnJid };
  return [node("description", attrs, [node("body", {}, Buffer.from(text))])];
}

function settingNodes(group: Group): BinaryNode[] {
  const { community } = group;
  return [
    ...(community === undefined ? [] : [node("linked_parent", { jid: community.parent })]),
    ...(community?.announcements === true ? [node("default_sub_group")] : []),
    ...(community?.hides_members === true ? [node("incognito")] : []),
    ...(group.announce ? [node("announcement")] : []),
    ...(group.locked ? [node("locked")] : []),
    ...(group.ephemeralSeconds > 0 ? [node("ephemeral", { expiration: String(group.ephemeralSeconds) })] : []),
    node("member_add_mode", {}, Buffer.from(group.memberAddMode)),
    ...(group.joinApproval ? [node("membership_approval_mode", {}, [node("group_join", { state: "on" })])] : []),
  ];
}

export function isAdmin(group: Group, account: Account): boolean {
  const role = group.members.get(account.pn);
  return role === "admin" || role === "superadmin";
}

export function mayEdit(group: Group, account: Account): boolean {
  return group.members.has(account.pn) && (!group.locked || isAdmin(group, account));
}

/** Notifies all devices of the members and `formerMembers`, including the devices of `by`. */
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
