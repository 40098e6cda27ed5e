// Changes a group's members. Codes: 403 must be invited first, 404 is not a member, 408 left recently, 409 is already a member.
import type { BinaryNode } from "baileys";
import type { Account, Group } from "../model.ts";
import type { Network } from "../network-state.ts";
import { children, node, nowSeconds } from "../node.ts";
import { requestToJoin, freshInviteCode } from "./joining.ts";
import { announce, isAdmin, participantNode, groupNode } from "./view.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";
import { randomBytes } from "node:crypto";

type MembershipChange = "add" | "remove" | "promote" | "demote";

const LEFT_RECENTLY_SECONDS = DAY_SECONDS;
const INVITE_SECONDS = 3 * DAY_SECONDS;

export function changeMembers(
  network: Network<"delivery" | "directory" | "store">,
  group: Group,
  by: Account,
  change: BinaryNode,
): BinaryNode | null {
  const kind = change.tag as MembershipChange;
  const allowed = isAdmin(group, by) || (kind === "add" && group.memberAddMode === "all_member_add");
  if (!allowed) return null;
  const touched: Account[] = [];
  const answers = children(change, "participant").map(({ attrs: { jid = "" } }) => {
    const account = network.directory.find(jid);
    if (!account) return node("participant", { jid, error: "404" });
    const error = changeOne(network, group, by, account, kind);
    if (error === null) touched.push(account);
    if (error !== 403 || kind !== "add") return node("participant", { jid, error: error === null ? undefined : String(error) });
    return node("participant", { jid, error: "403" }, [invitation(group)]);
  });
  network.store.saveGroup(group);
  if (touched.length > 0) announceChange(network, group, by, kind, touched);
  return node(kind, {}, answers);
}

export function leave(network: Network<"delivery" | "directory" | "store">, group: Group, account: Account): void {
  group.members.delete(account.pn);
  group.left.set(account.pn, Number(nowSeconds()));
  network.store.saveGroup(group);
  announce(network, group, account, node("remove", {}, [participantNode(group, account)]), [account.pn]);
  handOver(network, group, account);
}

function changeOne(
  network: Network<"delivery" | "directory" | "store">,
  group: Group,
  by: Account,
  account: Account,
  kind: MembershipChange,
): number | null {
  const role = group.members.get(account.pn);
  if (kind === "add") return add(network, group, by, account);
  if (!role) return 404;
  // The creator cannot be removed or demoted.
  if (role === "superadmin" && account !== by && kind !== "promote") return 403;
  if (kind === "remove") group.members.delete(account.pn);
  else if (role !== "superadmin") group.members.set(account.pn, kind === "promote" ? "admin" : "member");
  return null;
}

function add(network: Network<"delivery" | "directory" | "store">, group: Group, by: Account, account: Account): number | null {
  if (group.members.has(account.pn)) return 409;
  if (account.privacy["groupadd"] === "none" || account.blocklist.has(by.lid)) return 403;
  const leftAt = group.left.get(account.pn);
  if (leftAt !== undefined && Number(nowSeconds()) - leftAt < LEFT_RECENTLY_SECONDS) return 408;
  if (group.joinApproval && !isAdmin(group, by)) {
    requestToJoin(network, group, account, "non_admin_add", by);
    return 202;
  }
  group.members.set(account.pn, "member");
  group.requests.delete(account.pn);
  return null;
}

function announceChange(
  network: Network<"delivery" | "directory">,
  group: Group,
  by: Account,
  kind: MembershipChange,
  touched: Account[],
): void {
  const role = kind === "promote" ? "admin" : undefined;
  const people = touched.map((account) => participantNode(group, account, role));
  announce(
    network,
    group,
    by,
    node(kind, {}, people),
    touched.map(({ pn }) => pn),
  );
}

// When the last admin leaves, the longest-standing member becomes admin.
function handOver(network: Network<"delivery" | "directory" | "store">, group: Group, leaver: Account): void {
  const roles = [...group.members.values()];
  if (roles.length === 0 || roles.some((role) => role !== "member")) return;
  const [heir] = group.members.keys();
  const account = heir === undefined ? undefined : network.directory.account(heir);
  if (!account) return;
  group.members.set(account.pn, "admin");
  network.store.saveGroup(group);
  announce(network, group, leaver, node("promote", {}, [participantNode(group, account, "admin")]));
}

function invitation(group: Group): BinaryNode {
  return node("add_request", { code: group.inviteCode, expiration: String(Number(nowSeconds()) + INVITE_SECONDS) });
}

type NewGroup = {
  subject: string;
  members: Account[];
  /** The client's request key, echoed in the announcement. */
  key?: string | undefined;
};

export function newGroup(
  network: Network<"delivery" | "directory" | "groupAddressing" | "groups" | "store">,
  by: Account,
  { subject, members, key }: NewGroup,
): Group {
  const at = nowSeconds();
  const group: Group = {
    id: `${freshGroupId(network)}@g.us`,
    creator: by.pn,
    createdAt: at,
    addressing: network.groupAddressing,
    members: new Map([[by.pn, "superadmin"]]),
    subject,
    subjectBy: by.pn,
    subjectAt: at,
    description: undefined,
    announce: false,
    locked: false,
    memberAddMode: "admin_add",
    joinApproval: false,
    ephemeralSeconds: 0,
    inviteCode: freshInviteCode(),
    revokedCodes: [],
    picture: undefined,
    requests: new Map(),
    left: new Map(),
  };
  for (const { pn } of members) if (!group.members.has(pn)) group.members.set(pn, "member");
  network.groups.set(group.id, group);
  network.store.saveGroup(group);
  announce(network, group, by, node("create", { type: "new", key }, [groupNode(network, group)]));
  return group;
}

function freshGroupId(network: Network<"groups">): string {
  for (;;) {
    const id = `120363${randomBytes(6).readUIntBE(0, 6).toString().padStart(15, "0").slice(-12)}`;
    if (!network.groups.has(`${id}@g.us`)) return id;
  }
}
