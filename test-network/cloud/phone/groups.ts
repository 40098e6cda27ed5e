import { createHash } from "node:crypto";
import type { BinaryNode } from "baileys";
import { child, children, childrenOf, textOf } from "../../node.ts";
import { personOf } from "../../phone/addresses.ts";
import { nowSeconds, type PhoneDependencies } from "../../phone/dependencies.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import { groupIdOf, joinRequestIdOf } from "../ids.ts";
import type { CloudNumber } from "../model.ts";

type Fields = Record<string, unknown>;
type Item = {
  field: "group_lifecycle_update" | "group_participants_update" | "group_settings_update";
  type: string;
  fields: Fields;
};

type At = {
  cloud: CloudNetwork;
  number: CloudNumber;
  phone: PhoneDependencies;
  group: string;
  by: string;
  change: BinaryNode;
};

/** Attaches a request id to the webhook for Graph's next change of this kind. Null suppresses the webhook. */
export function expectChange(cloud: CloudNetwork, group: string, what: string, request_id: string | null): void {
  cloud.documents.put("group_request", `${group}|${what}`, { request_id });
}

export function reportGroupEnd(cloud: CloudNetwork, number: CloudNumber, group: string, request_id: string): void {
  const item = { timestamp: String(nowSeconds()), group_id: groupIdOf(number.phone, group), type: "group_delete", request_id };
  cloud.report(number, `group:${request_id}`, "group_lifecycle_update", { groups: [item] });
}

const CHANGES: Readonly<Record<string, (at: At) => Item | null>> = {
  create: ({ phone, group }) => {
    const made = phone.link.group(group);
    if (made?.creator !== phone.pn) return null;
    const { subject, description, joinApproval, inviteCode } = made;
    return {
      field: "group_lifecycle_update",
      type: "group_create",
      fields: {
        subject,
        ...(description && { description: description.text }),
        invite_link: `https://chat.whatsapp.com/${inviteCode}`,
        join_approval_mode: joinApproval ? "approval_required" : "auto_approve",
      },
    };
  },
  add: (at) => {
    const people = peopleOf(at);
    const reason = at.change.attrs["reason"] === "linked_group_join" ? "join_request" : "invite_link";
    return people.length === 0 ? null : participants("group_participants_add", { reason, added_participants: people });
  },
  remove: (at) => {
    const people = peopleOf(at);
    const initiated_by = at.by === at.phone.pn ? "business" : "participant";
    return people.length === 0 ? null : participants("group_participants_remove", { initiated_by, removed_participants: people });
  },
  created_membership_requests: (at) => requests("group_join_request_created", at),
  revoked_membership_requests: (at) => requests("group_join_request_revoked", at),
  subject: ({ change }) => setting({ group_subject: { text: change.attrs["subject"] ?? "", update_successful: true } }),
  description: ({ change }) => setting({ group_description: { text: textOf(child(change, "body")) ?? "", update_successful: true } }),
  membership_approval_mode: ({ change }) => {
    const isOn = child(change, "group_join")?.attrs["state"] === "on";
    return setting({ join_approval_mode: isOn ? "approval_required" : "auto_approve" });
  },
  picture: ({ phone, group }) => {
    const { path } = phone.link.group(group)?.picture ?? {};
    const bytes = path === undefined ? null : phone.link.readBlob(path);
    if (!bytes) return null;
    const sha256 = createHash("sha256").update(bytes).digest("base64");
    return setting({ profile_picture: { mime_type: "image/jpeg", sha256, update_successful: true } });
  },
};

/** Reports a notification about one of the number's groups. It can be called inside a transaction. */
export function reportGroup(cloud: CloudNetwork, number: CloudNumber, phone: PhoneDependencies, notification: BinaryNode): void {
  const { from: group = "", id = "", type, participant = "", participant_pn } = notification.attrs;
  const by = personOf(participant_pn ?? participant, phone.link.directory);
  for (const [place, change] of childrenOf(notification).entries()) {
    const what = type === "picture" ? "picture" : change.tag;
    const item = CHANGES[what]?.({ cloud, number, phone, group, by, change });
    if (!item) continue;
    const expected = cloud.documents.get("group_request", `${group}|${what}`);
    if (expected) cloud.documents.remove("group_request", `${group}|${what}`);
    if (expected?.request_id === null) continue;
    const described = {
      timestamp: String(nowSeconds()),
      group_id: groupIdOf(number.phone, group),
      type: item.type,
      ...(expected && { request_id: expected.request_id }),
      ...item.fields,
    };
    cloud.report(number, `group:${id}:${place}`, item.field, { groups: [described] });
  }
}

function participants(type: string, fields: Fields): Item {
  return { field: "group_participants_update", type, fields };
}

function setting(fields: Fields): Item {
  return { field: "group_settings_update", type: "group_settings_update", fields };
}

function requests(type: string, at: At): Item | null {
  const [person] = peopleOf(at);
  const { wa_id } = person ?? {};
  return wa_id === undefined ? null : participants(type, { join_request_id: joinRequestIdOf(at.group, wa_id), wa_id });
}

function peopleOf({ cloud, number, phone, change }: At): Array<{ input?: string; wa_id?: string; user_id: string }> {
  const jids = children(change, "participant").map(({ attrs }) => attrs["phone_number"] ?? attrs["jid"] ?? "");
  const people = jids.map((jid) => personOf(jid, phone.link.directory)).filter((pn) => pn !== phone.pn);
  return people.map((pn) => {
    const { wa_id, user_id } = cloud.person(number, pn);
    return { ...(wa_id !== undefined && { input: wa_id, wa_id }), user_id };
  });
}
