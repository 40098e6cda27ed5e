import { jidEncode, type BinaryNode } from "baileys";
import type { Group } from "../model.ts";
import { child, children, node, SERVER } from "../node.ts";
import { personOf } from "./addresses.ts";
import { sha256 } from "./messages/media-cipher.ts";
import type { PhoneDependencies } from "./dependencies.ts";
import { done, refused, type Outcome } from "./refusal.ts";
import type { GroupView } from "./views.ts";

export type MemberChange = "add" | "remove" | "promote" | "demote";
export type MemberResult = {
  phone: string;
  status: string;
};

const SWITCHES = { announce: ["announcement", "not_announcement"], locked: ["locked", "unlocked"] } as const;

export type GroupSettings = {
  announce?: boolean | undefined;
  locked?: boolean | undefined;
  join_approval?: boolean | undefined;
  member_add_mode?: "admin_add" | "all_member_add" | undefined;
  disappearing_seconds?: number | undefined;
};

export function createGroup(phone: PhoneDependencies, subject: string, participants: readonly string[]): Outcome<{ group_id: string }> {
  const content = participants.map((pn) => node("participant", { jid: jidEncode(pn, "s.whatsapp.net") }));
  const answer = ask(phone, "@g.us", "set", node("create", { subject }, content));
  if (!answer.ok) return answer;
  const id = child(answer.value, "group")?.attrs["id"] ?? "";
  return done({ group_id: id.includes("@") ? id : `${id}@g.us` });
}

export function changeMembers(
  phone: PhoneDependencies,
  groupId: string,
  change: MemberChange,
  people: readonly string[],
): Outcome<MemberResult[]> {
  const content = people.map((pn) => node("participant", { jid: jidEncode(pn, "s.whatsapp.net") }));
  const answer = ask(phone, groupId, "set", node(change, {}, content));
  if (!answer.ok) return answer;
  return done(
    children(child(answer.value, change), "participant").map(({ attrs }) => ({
      phone: personOf(attrs["phone_number"] ?? attrs["jid"] ?? "", phone.link.directory),
      status: attrs["error"] ?? "200",
    })),
  );
}

export function leaveGroup(phone: PhoneDependencies, groupId: string): Outcome<true> {
  return settled(ask(phone, "@g.us", "set", node("leave", {}, [node("group", { id: groupId })])));
}

export function joinGroup(phone: PhoneDependencies, inviteCode: string): Outcome<{ group_id: string; pending: boolean }> {
  const answer = ask(phone, "@g.us", "set", node("invite", { code: inviteCode }));
  if (!answer.ok) return answer;
  const group = child(answer.value, "group");
  const pending = child(answer.value, "membership_approval_request");
  return done({ group_id: (group ?? pending)?.attrs["jid"] ?? "", pending: group === undefined });
}

export function renameGroup(phone: PhoneDependencies, groupId: string, subject: string): Outcome<true> {
  return settled(ask(phone, groupId, "set", node("subject", {}, Buffer.from(subject))));
}

export function describeGroup(phone: PhoneDependencies, groupId: string, text: string): Outcome<true> {
  const prev = phone.link.group(groupId)?.description?.id;
  const change =
    text === ""
      ? node("description", { delete: "true", prev })
      : node("description", { id: phone.link.nextId(), prev }, [node("body", {}, Buffer.from(text))]);
  return settled(ask(phone, groupId, "set", change));
}

export function setGroup(phone: PhoneDependencies, groupId: string, settings: GroupSettings): Outcome<true> {
  for (const change of settingNodes(settings)) {
    const answer = ask(phone, groupId, "set", change);
    if (!answer.ok) return answer;
  }
  return done(true);
}

export function decideRequests(
  phone: PhoneDependencies,
  groupId: string,
  verdict: "approve" | "reject",
  people: readonly string[],
): Outcome<true> {
  const content = people.map((pn) => node("participant", { jid: jidEncode(pn, "s.whatsapp.net") }));
  return settled(ask(phone, groupId, "set", node("membership_requests_action", {}, [node(verdict, {}, content)])));
}

export function resetInvite(phone: PhoneDependencies, groupId: string): Outcome<true> {
  return settled(ask(phone, groupId, "set", node("invite")));
}

export function pictureGroup(phone: PhoneDependencies, groupId: string, picture: Buffer | null): Outcome<true> {
  const content = picture ? [node("picture", { type: "image" }, picture)] : undefined;
  const iq = { to: SERVER, target: groupId, type: "set", xmlns: "w:profile:picture", id: phone.link.nextId() };
  return settled(outcomeOf(phone.link.request(node("iq", iq, content))));
}

export function viewGroup(phone: PhoneDependencies, groupId: string): GroupView | null {
  const group = phone.link.group(groupId);
  return group && describe(phone, group);
}

export function pictureOfGroup(phone: PhoneDependencies, groupId: string): Buffer | null {
  const picture = phone.link.group(groupId)?.picture;
  return picture ? phone.link.readBlob(picture.path) : null;
}

export function listGroups(phone: PhoneDependencies): GroupView[] {
  return phone.link
    .groups()
    .filter(({ members }) => members.has(phone.pn))
    .map((group) => describe(phone, group));
}

function describe(phone: PhoneDependencies, group: Group): GroupView {
  const picture = pictureOfGroup(phone, group.id);
  return {
    group_id: group.id,
    subject: group.subject,
    description: group.description?.text ?? null,
    created_by: group.creator,
    created_at: Number(group.createdAt),
    participants: [...group.members].map(([pn, role]) => ({ phone: pn, role })),
    announce: group.announce,
    locked: group.locked,
    join_approval: group.joinApproval,
    member_add_mode: group.memberAddMode,
    disappearing_seconds: group.ephemeralSeconds,
    picture_sha256: picture ? sha256(picture).toString("hex") : null,
    requests: [...group.requests.keys()],
    invite_code: group.members.has(phone.pn) ? group.inviteCode : null,
  };
}

function settingNodes(settings: GroupSettings): BinaryNode[] {
  const { join_approval: approval, member_add_mode: addMode, disappearing_seconds: seconds } = settings;
  const switches = (["announce", "locked"] as const).flatMap((name) => {
    const [on, off] = SWITCHES[name];
    return settings[name] === undefined ? [] : [node(settings[name] ? on : off)];
  });
  return [
    ...switches,
    ...(approval === undefined ? [] : [node("membership_approval_mode", {}, [node("group_join", { state: approval ? "on" : "off" })])]),
    ...(addMode === undefined ? [] : [node("member_add_mode", {}, addMode)]),
    ...(seconds === undefined ? [] : [seconds > 0 ? node("ephemeral", { expiration: String(seconds) }) : node("not_ephemeral")]),
  ];
}

function ask(phone: PhoneDependencies, to: string, type: "get" | "set", content: BinaryNode): Outcome<BinaryNode> {
  return outcomeOf(phone.link.request(node("iq", { to, type, xmlns: "w:g2", id: phone.link.nextId() }, [content])));
}

function outcomeOf(answer: BinaryNode): Outcome<BinaryNode> {
  const error = child(answer, "error");
  if (answer.attrs["type"] !== "error" && !error) return done(answer);
  const code = error?.attrs["code"] ?? "500";
  const text = error?.attrs["text"] ?? "refused";
  return refused(code === "404" ? 404 : 403, "group_refused", `the network refused: ${code} ${text}`);
}

function settled(answer: Outcome<BinaryNode>): Outcome<true> {
  return answer.ok ? done(true) : answer;
}
