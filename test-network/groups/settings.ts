import type { BinaryNode } from "baileys";
import { done, refused, type Reply } from "../iq/reply.ts";
import type { Account, Group } from "../model.ts";
import type { Network } from "../network-state.ts";
import { child, node, nowSeconds, textOf } from "../node.ts";
import { announce, isAdmin, mayEdit, memberJid } from "./view.ts";

type Change = (group: Group, request: BinaryNode, by: Account) => BinaryNode | null;

/** Applies a setting and returns the notification for the members, or null for an invalid request. */
const CHANGES: Record<string, { who: "editors" | "admins"; apply: Change }> = {
  subject: { who: "editors", apply: changeSubject },
  description: { who: "editors", apply: changeDescription },
  ephemeral: { who: "editors", apply: changeEphemeral },
  not_ephemeral: { who: "editors", apply: changeEphemeral },
  announcement: { who: "admins", apply: (group) => ((group.announce = true), node("announcement")) },
  not_announcement: { who: "admins", apply: (group) => ((group.announce = false), node("not_announcement")) },
  locked: { who: "admins", apply: (group) => ((group.locked = true), node("locked")) },
  unlocked: { who: "admins", apply: (group) => ((group.locked = false), node("unlocked")) },
  member_add_mode: { who: "admins", apply: changeAddMode },
  membership_approval_mode: { who: "admins", apply: changeApproval },
};

export function changeSetting(
  network: Network<"delivery" | "directory" | "store">,
  group: Group,
  by: Account,
  request: BinaryNode,
): Reply | undefined {
  const change = CHANGES[request.tag];
  if (!change) return undefined;
  const allowed = change.who === "admins" ? isAdmin(group, by) : mayEdit(group, by);
  if (!allowed) return refused(403);
  const announced = change.apply(group, request, by);
  if (!announced) return refused(request.tag === "description" ? 409 : 400);
  network.store.saveGroup(group);
  announce(network, group, by, announced);
  return done();
}

function changeSubject(group: Group, request: BinaryNode, by: Account): BinaryNode | null {
  const subject = textOf(request);
  if (!subject) return null;
  group.subject = subject;
  group.subjectBy = by.pn;
  group.subjectAt = nowSeconds();
  return node("subject", { subject, s_t: group.subjectAt, s_o: memberJid(group, by) });
}

// An edit contains the id of the description that it replaces, so that concurrent edits cannot silently overwrite each other.
function changeDescription(group: Group, request: BinaryNode, by: Account): BinaryNode | null {
  const { id = "", prev } = request.attrs;
  if (prev !== group.description?.id) return null;
  const body = child(request, "body");
  const text = textOf(body);
  group.description = text ? { id, text, by: by.pn, at: nowSeconds() } : undefined;
  return node("description", { id, prev, t: nowSeconds() }, body ? [body] : undefined);
}

function changeEphemeral(group: Group, { tag, attrs }: BinaryNode): BinaryNode | null {
  const seconds = tag === "ephemeral" ? Number(attrs["expiration"]) : 0;
  if (!Number.isInteger(seconds) || seconds < 0) return null;
  group.ephemeralSeconds = seconds;
  return seconds > 0 ? node("ephemeral", { expiration: String(seconds) }) : node("not_ephemeral");
}

function changeAddMode(group: Group, request: BinaryNode): BinaryNode | null {
  const mode = textOf(request);
  if (mode !== "admin_add" && mode !== "all_member_add") return null;
  group.memberAddMode = mode;
  return node("member_add_mode", {}, Buffer.from(mode));
}

function changeApproval(group: Group, request: BinaryNode): BinaryNode | null {
  const state = child(request, "group_join")?.attrs["state"];
  if (state !== "on" && state !== "off") return null;
  group.joinApproval = state === "on";
  return node("membership_approval_mode", {}, [node("group_join", { state })]);
}
