// Answers `w:g2` queries to one group, or to `@g.us` for creating a group or listing one's own groups.
import type { BinaryNode } from "baileys";
import {
  acceptInvitation,
  decideRequests,
  inviteCode,
  joinByCode,
  listRequests,
  lookUpInvitation,
  revokeInviteCode,
  withdrawRequest,
} from "../groups/joining.ts";
import { changeMembers, leave, newGroup } from "../groups/membership.ts";
import { changeSetting } from "../groups/settings.ts";
import { groupNode, memberJid } from "../groups/view.ts";
import type { Account, Device, Group } from "../model.ts";
import type { Network } from "../network-state.ts";
import { children, childrenOf, node } from "../node.ts";
import { done, refused, type Reply } from "./reply.ts";

const MEMBERSHIP = new Set(["add", "remove", "promote", "demote"]);

export function answerGroups(
  network: Network<"delivery" | "directory" | "groupAddressing" | "groups" | "oldForms" | "store">,
  from: Device,
  iq: BinaryNode,
): Reply {
  const { to = "", type } = iq.attrs;
  const [request] = childrenOf(iq);
  if (!request) return refused(400);
  const { account } = from;
  if (to === "@g.us" || to === "g.us") return answerAny(network, from, request, type === "set");
  const group = network.groups.get(to);
  if (!group) return refused(404);
  if (!group.members.has(account.pn)) return answerStranger(network, group, account, request);
  return type === "set" ? changeGroup(network, group, account, request) : showGroup(network, group, account, request);
}

function answerAny(
  network: Network<"delivery" | "directory" | "groupAddressing" | "groups" | "oldForms" | "store">,
  from: Device,
  request: BinaryNode,
  isChange: boolean,
): Reply {
  const { account } = from;
  const { code } = request.attrs;
  switch (request.tag) {
    case "create":
      return create(network, from, request);
    case "participating":
      return done(
        node(
          "groups",
          {},
          groupsOf(network, account).map((group) => groupNode(network, group, account)),
        ),
      );
    case "leave":
      return leaveAll(network, account, request);
    case "invite":
      return isChange ? joinByCode(network, account, code) : lookUpInvitation(network, code);
    default:
      return refused(501);
  }
}

function answerStranger(network: Network<"delivery" | "directory" | "store">, group: Group, account: Account, request: BinaryNode): Reply {
  if (request.tag === "accept") return acceptInvitation(network, group, account, request);
  if (request.tag === "cancel_membership_requests") return withdrawRequest(network, group, account);
  return refused(403);
}

function showGroup(network: Network<"directory">, group: Group, account: Account, request: BinaryNode): Reply {
  switch (request.tag) {
    case "query":
      return done(groupNode(network, group, account));
    case "invite":
      return inviteCode(group, account);
    case "membership_approval_requests":
      return listRequests(network, group, account);
    default:
      return refused(501);
  }
}

function changeGroup(network: Network<"delivery" | "directory" | "store">, group: Group, account: Account, request: BinaryNode): Reply {
  if (MEMBERSHIP.has(request.tag)) {
    const answers = changeMembers(network, group, account, request);
    return answers ? done(answers) : refused(403);
  }
  switch (request.tag) {
    case "invite":
      return revokeInviteCode(network, group, account);
    case "membership_requests_action":
      return decideRequests(network, group, account, request);
    case "accept":
      return refused(409);
    // On this network, personal invitations use the group's code, so revoking one of them revokes the code.
    case "revoke":
      return revokeInviteCode(network, group, account);
    default:
      return changeSetting(network, group, account, request) ?? refused(501);
  }
}

function create(
  network: Network<"delivery" | "directory" | "groupAddressing" | "groups" | "oldForms" | "store">,
  from: Device,
  request: BinaryNode,
): Reply {
  const { account } = from;
  const { subject, key } = request.attrs;
  if (!subject) return refused(400);
  if (key !== undefined && network.oldForms.refuses(from, "create/key")) return refused(400);
  const asked = children(request, "participant").map(({ attrs: { jid = "" } }) => ({ jid, member: network.directory.find(jid) }));
  const members = asked.flatMap(({ member }) => (member && member.privacy["groupadd"] !== "none" ? [member] : []));
  const group = newGroup(network, account, { subject, members, key });
  const view = groupNode(network, group);
  const refusals = asked.flatMap(({ jid, member }) => {
    if (member && group.members.has(member.pn)) return [];
    return [node("participant", { jid: member ? memberJid(group, member) : jid, error: member ? "403" : "404" })];
  });
  return done(refusals.length > 0 ? node("group", view.attrs, [...childrenOf(view), ...refusals]) : view);
}

function leaveAll(network: Network<"delivery" | "directory" | "groups" | "store">, account: Account, request: BinaryNode): Reply {
  const answers = children(request, "group").map(({ attrs: { id = "" } }) => {
    const group = network.groups.get(id);
    if (!group?.members.has(account.pn)) return node("group", { id, error: "404" });
    leave(network, group, account);
    return node("group", { id });
  });
  return done(node("leave", {}, answers));
}

function groupsOf(network: Network<"groups">, account: Account): Group[] {
  return [...network.groups.values()].filter(({ members }) => members.has(account.pn));
}
