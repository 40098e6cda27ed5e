import type { BinaryNode } from "baileys";
import { randomBytes } from "node:crypto";
import { done, refused, type Reply } from "../iq/reply.ts";
import type { Account, Group } from "../model.ts";
import type { Network } from "../network-state.ts";
import { children, childrenOf, node, nowSeconds } from "../node.ts";
import { announce, announceToAdmins, isAdmin, groupNode, memberJid, participantNode } from "./view.ts";

const MAX_REVOKED_CODES = 20;

/** The group with this invite code. Fails with 406 for an unknown code and with 410 for a revoked one. */
export function lookUpInvitation(network: Network<"directory" | "groups">, code: string | undefined): Reply {
  const group = groupByCode(network, code);
  return group ? done(groupNode(network, group)) : refused(wasRevoked(network, code) ? 410 : 406);
}

export function joinByCode(
  network: Network<"delivery" | "directory" | "groups" | "store">,
  account: Account,
  code: string | undefined,
): Reply {
  const group = groupByCode(network, code);
  if (!group) return refused(wasRevoked(network, code) ? 410 : 406);
  return join(network, group, account, account);
}

export function acceptInvitation(
  network: Network<"delivery" | "directory" | "store">,
  group: Group,
  account: Account,
  { attrs }: BinaryNode,
): Reply {
  const by = network.directory.find(attrs["admin"]);
  const expired = Number(attrs["expiration"] ?? 0) < Number(nowSeconds());
  if (!by || !isAdmin(group, by) || attrs["code"] !== group.inviteCode) return refused(406);
  return expired ? refused(410) : join(network, group, account, by);
}

export function inviteCode(group: Group, account: Account): Reply {
  return isAdmin(group, account) ? done(node("invite", { code: group.inviteCode })) : refused(401);
}

export function revokeInviteCode(network: Network<"delivery" | "directory" | "store">, group: Group, account: Account): Reply {
  if (!isAdmin(group, account)) return refused(401);
  group.revokedCodes = [group.inviteCode, ...group.revokedCodes].slice(0, MAX_REVOKED_CODES);
  group.inviteCode = freshInviteCode();
  network.store.saveGroup(group);
  announce(network, group, account, node("invite", { code: group.inviteCode }));
  return done(node("invite", { code: group.inviteCode }));
}

export function listRequests(network: Network<"directory">, group: Group, account: Account): Reply {
  if (!isAdmin(group, account)) return refused(403);
  const requests = [...group.requests].flatMap(([pn, { at, method, by }]) => {
    const asking = network.directory.account(pn);
    if (!asking) return [];
    const requestor = method === "non_admin_add" ? memberJid(group, network.directory.account(by)) : undefined;
    const attrs = { jid: memberJid(group, asking), phone_number: asking.pnJid, request_method: method, request_time: at, requestor };
    return [node("membership_approval_request", attrs)];
  });
  return done(node("membership_approval_requests", {}, requests));
}

/** Approves or rejects join requests. The result is 404 for people who have none. */
export function decideRequests(
  network: Network<"delivery" | "directory" | "store">,
  group: Group,
  by: Account,
  request: BinaryNode,
): Reply {
  if (!isAdmin(group, by)) return refused(403);
  const decisions = childrenOf(request).filter(({ tag }) => tag === "approve" || tag === "reject");
  return done(
    node(
      "membership_requests_action",
      {},
      decisions.map((decision) => {
        const answers = children(decision, "participant").map(({ attrs: { jid } }) => {
          const account = network.directory.find(jid);
          if (!account || !group.requests.has(account.pn)) return node("participant", { jid, error: "404" });
          if (decision.tag === "approve") admit(network, group, by, account, "linked_group_join");
          else dropRequest(network, group, by, account);
          return node("participant", { jid });
        });
        return node(decision.tag, {}, answers);
      }),
    ),
  );
}

export function withdrawRequest(network: Network<"delivery" | "directory" | "store">, group: Group, account: Account): Reply {
  if (!group.requests.has(account.pn)) return refused(404);
  dropRequest(network, group, account, account);
  return done();
}

function join(network: Network<"delivery" | "directory" | "store">, group: Group, account: Account, by: Account): Reply {
  if (group.members.has(account.pn)) return refused(409);
  if (group.joinApproval) {
    requestToJoin(network, group, account, "invite_link", account);
    return done(node("membership_approval_request", { jid: group.id }));
  }
  admit(network, group, by, account, "invite");
  return done(node("group", { jid: group.id }));
}

export function freshInviteCode(): string {
  return randomBytes(16).toString("base64url");
}

function groupByCode(network: Network<"groups">, code: string | undefined): Group | undefined {
  for (const group of network.groups.values()) if (group.inviteCode === code) return group;
  return undefined;
}

function wasRevoked(network: Network<"groups">, code: string | undefined): boolean {
  for (const group of network.groups.values()) if (code !== undefined && group.revokedCodes.includes(code)) return true;
  return false;
}

function admit(network: Network<"delivery" | "directory" | "store">, group: Group, by: Account, account: Account, reason: string): void {
  group.members.set(account.pn, "member");
  group.requests.delete(account.pn);
  group.left.delete(account.pn);
  network.store.saveGroup(group);
  announce(network, group, by, node("add", { reason }, [participantNode(group, account)]));
}

export function requestToJoin(
  network: Network<"delivery" | "directory" | "store">,
  group: Group,
  account: Account,
  method: "invite_link" | "non_admin_add",
  by: Account,
): void {
  group.requests.set(account.pn, { at: nowSeconds(), method, by: by.pn });
  network.store.saveGroup(group);
  announceToAdmins(network, group, by, node("created_membership_requests", { request_method: method }, [participantNode(group, account)]));
}

function dropRequest(network: Network<"delivery" | "directory" | "store">, group: Group, by: Account, account: Account): void {
  group.requests.delete(account.pn);
  network.store.saveGroup(group);
  announceToAdmins(network, group, by, node("revoked_membership_requests", {}, [participantNode(group, account)]), [account.pn]);
}
