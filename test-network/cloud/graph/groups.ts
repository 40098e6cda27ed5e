// The Groups API. Groups exist on the simulated network, and people join by link on their phones.
import * as z from "zod";
import {
  changeMembers,
  createGroup,
  decideRequests,
  describeGroup,
  leaveGroup,
  pictureGroup,
  renameGroup,
  resetInvite,
  setGroup,
} from "../../phone/groups.ts";
import type { Outcome } from "../../phone/refusal.ts";
import type { Group } from "../../model.ts";
import { groupIdOf, joinRequestIdOf, requestId } from "../ids.ts";
import { expectChange, reportGroupEnd } from "../phone/groups.ts";
import { graphError, type GraphReply } from "./errors.ts";
import { json, NOTHING, on, WHATSAPP, type Edge, type GraphCall, type Nodes } from "./route.ts";

const Subject = z.string().min(1).max(128);
const Description = z.string().max(2_048);
const NewGroup = z.object({
  ...WHATSAPP,
  subject: Subject,
  description: Description.optional(),
  join_approval_mode: z.enum(["approval_required", "auto_approve"]).default("auto_approve"),
});
const Change = z.object({ ...WHATSAPP, subject: Subject.optional(), description: Description.optional() });
const People = z.object({
  ...WHATSAPP,
  participants: z
    .array(z.object({ user: z.string().min(1) }))
    .min(1)
    .max(8),
});
const Requests = z.object({ ...WHATSAPP, join_requests: z.array(z.string().min(1)).min(1) });

const MAX_PICTURE_BYTES = 5 * 1024 * 1024;

export const groupEdges: readonly Edge[] = [
  on("number", "GET", "groups", NOTHING, ({ number, phone }) => {
    const groups = phone.deps.link.groups().filter(({ members }) => members.has(phone.pn));
    const shown = groups.map(({ id, subject, createdAt }) => ({ id: groupIdOf(number.phone, id), subject, created_at: createdAt }));
    return json({ data: { groups: shown }, paging: { cursors: {} } });
  }),
  on("number", "POST", "groups", NewGroup, async ({ number, phone }, { cloud, body }) => {
    if (!number.groups) return graphError(131_215, { details: "The Groups API is for official business accounts." });
    const request_id = requestId();
    const made = await phone.act((deps) => {
      const outcome = createGroup(deps, body.subject, []);
      if (!outcome.ok) return outcome;
      const { group_id } = outcome.value;
      expectChange(cloud, group_id, "create", request_id);
      // These changes send no webhook, because the creation event already contains the initial settings.
      if (body.description) {
        expectChange(cloud, group_id, "description", null);
        describeGroup(deps, group_id, body.description);
      }
      if (body.join_approval_mode === "approval_required") {
        expectChange(cloud, group_id, "membership_approval_mode", null);
        setGroup(deps, group_id, { join_approval: true });
      }
      return outcome;
    });
    return made.ok ? json({ messaging_product: "whatsapp", request_id }) : graphError(131_000, { details: made.message });
  }),
  on("group", "GET", "", NOTHING, (node, { query }) => {
    const group = groupOf(node);
    const all = groupFieldsOf(node, group);
    const names = (
      query.get("fields") ?? "subject,description,participants,join_approval_mode,suspended,creation_timestamp,total_participant_count"
    ).split(",");
    return json({
      ...Object.fromEntries(names.flatMap((name) => (name in all ? [[name, all[name]]] : []))),
      id: node.groupId,
      messaging_product: "whatsapp",
    });
  }),
  on("group", "POST", "", Change, async (node, { cloud, file, body }) => {
    if (file && (file.bytes.length > MAX_PICTURE_BYTES || !/^image\/jpe?g$/.test(file.type))) {
      return graphError(131_009, { details: "file is a square JPEG of at most 5 MB" });
    }
    const { subject, description } = body;
    if (subject === undefined && description === undefined && !file) return graphError(131_008, { details: "There is nothing to change." });
    return asked(node, (request_id) =>
      node.phone.act((deps) => {
        const works: Array<[what: string, work: () => Outcome<true>]> = [];
        if (subject !== undefined) works.push(["subject", () => renameGroup(deps, node.group, subject)]);
        if (description !== undefined) works.push(["description", () => describeGroup(deps, node.group, description)]);
        if (file) works.push(["picture", () => pictureGroup(deps, node.group, file.bytes)]);
        let outcome: Outcome<true> = { ok: true, value: true };
        for (const [what, work] of works) {
          expectChange(cloud, node.group, what, request_id);
          outcome = work();
        }
        return outcome;
      }),
    );
  }),
  on("group", "DELETE", "", NOTHING, (node, { cloud }) =>
    asked(node, (request_id) =>
      node.phone.act((deps) => {
        const others = [...groupOf(node).members.keys()].filter((pn) => pn !== deps.pn);
        expectChange(cloud, node.group, "remove", null);
        if (others.length > 0) changeMembers(deps, node.group, "remove", others);
        reportGroupEnd(cloud, node.number, node.group, request_id);
        return leaveGroup(deps, node.group);
      }),
    ),
  ),
  on("group", "GET", "invite_link", NOTHING, (node) => json(linkOf(groupOf(node)))),
  on("group", "POST", "invite_link", z.object(WHATSAPP), async (node) => {
    const reset = await node.phone.act((deps) => resetInvite(deps, node.group));
    return reset.ok ? json(linkOf(groupOf(node))) : graphError(131_000, { details: reset.message });
  }),
  on("group", "DELETE", "participants", People, (node, { cloud, body }) => {
    const people = body.participants.map(({ user }) => user.replace(/\D/g, ""));
    return asked(node, (request_id) =>
      node.phone.act((deps) => {
        expectChange(cloud, node.group, "remove", request_id);
        return changeMembers(deps, node.group, "remove", people);
      }),
    );
  }),
  on("group", "GET", "join_requests", NOTHING, (node) => {
    const requests = [...groupOf(node).requests].map(([pn, { at }]) => ({
      join_request_id: joinRequestIdOf(node.group, pn),
      wa_id: pn,
      creation_timestamp: Number(at),
    }));
    return json({ data: requests, paging: { cursors: {} } });
  }),
  on("group", "POST", "join_requests", Requests, (node, call) => decide(node, call, "approve")),
  on("group", "DELETE", "join_requests", Requests, (node, call) => decide(node, call, "reject")),
];

async function asked({ number }: Nodes["group"], work: (requestId: string) => Promise<Outcome<unknown>>): Promise<GraphReply> {
  if (!number.groups) return graphError(131_215, { details: "The Groups API is for official business accounts." });
  const request_id = requestId();
  const outcome = await work(request_id);
  if (!outcome.ok) return graphError(131_000, { details: outcome.message });
  return json({ messaging_product: "whatsapp", request_id });
}

async function decide(
  node: Nodes["group"],
  { body }: GraphCall<z.output<typeof Requests>>,
  verdict: "approve" | "reject",
): Promise<GraphReply> {
  const waiting = new Map([...groupOf(node).requests.keys()].map((pn) => [joinRequestIdOf(node.group, pn), pn]));
  const known = body.join_requests.filter((id) => waiting.has(id));
  const failed = body.join_requests.filter((id) => !waiting.has(id));
  const people = known.flatMap((id) => waiting.get(id) ?? []);
  if (people.length > 0) await node.phone.act((deps) => decideRequests(deps, node.group, verdict, people));
  const errors = [{ code: 131_009, title: "Parameter value is not valid", message: "There is no such request to join." }];
  return json({
    messaging_product: "whatsapp",
    [verdict === "approve" ? "approved_join_requests" : "rejected_join_requests"]: known,
    ...(failed.length > 0 && { failed_join_requests: failed.map((join_request_id) => ({ join_request_id, errors })) }),
  });
}

function groupOf({ phone, group }: Nodes["group"]): Group {
  const found = phone.deps.link.group(group);
  if (!found) throw new Error("a group was looked up that is gone");
  return found;
}

function linkOf({ inviteCode }: Group) {
  return { messaging_product: "whatsapp", invite_link: `https://chat.whatsapp.com/${inviteCode}` };
}

function groupFieldsOf({ phone }: Nodes["group"], group: Group): Record<string, unknown> {
  const others = [...group.members.keys()].filter((pn) => pn !== phone.pn);
  return {
    subject: group.subject,
    description: group.description?.text ?? "",
    join_approval_mode: group.joinApproval ? "approval_required" : "auto_approve",
    suspended: false,
    creation_timestamp: Number(group.createdAt),
    participants: others.map((wa_id) => ({ wa_id })),
    total_participant_count: others.length,
  };
}
