import type { z } from "zod";
import { isoOfMsOrNull } from "../../http/times.ts";
import type { GroupPreview as Preview, GroupRecord, JoinRequest as Request, ParticipantResult as Result } from "../../protocol/groups.ts";
import { chatIdOf } from "../../protocol/ids.ts";
import { phoneOf } from "../messages/render.ts";
import type { Group, GroupDetail, GroupParticipant, GroupPreview, JoinRequest, ParticipantResult } from "./schemas.ts";

export function renderGroup(record: GroupRecord): z.input<typeof Group> {
  const { group_id, subject, description, size, my_role, settings, invite_link, community_id, is_announcement_group } = record;
  return {
    group_id,
    subject,
    description,
    owner: phoneOf(record.owner),
    created_at: isoOfMsOrNull(record.created_at),
    size,
    my_role,
    settings,
    invite_link,
    community_id,
    is_announcement_group,
  };
}

export function renderGroupDetail(record: GroupRecord): z.input<typeof GroupDetail> {
  return { ...renderGroup(record), participants: renderParticipants(record) };
}

export function renderParticipants({ participants = [] }: GroupRecord): z.input<typeof GroupParticipant>[] {
  return participants.map(({ person, name, role }) => ({ phone: phoneOf(person), name, role }));
}

export function renderGroupPreview(preview: Preview): z.input<typeof GroupPreview> {
  return { ...preview, owner: phoneOf(preview.owner), created_at: isoOfMsOrNull(preview.created_at) };
}

/** No invitation is sent automatically: a person who can only be invited has the reason `privacy`. */
export function renderResult({ person, status, code, reason }: Result): z.input<typeof ParticipantResult> {
  return { phone: phoneOf(person), status, code, reason, invite_sent: false };
}

export function renderJoinRequest({ person, method, requested_at }: Request): z.input<typeof JoinRequest> {
  return { request_id: chatIdOf(person), phone: phoneOf(person), method, requested_at: isoOfMsOrNull(requested_at) };
}
