// Group metadata for sends to groups. Without it, each send would query the group and soon reach the network's rate limit.
import type { GroupMetadata, GroupParticipant } from "baileys";
import type { GroupSnapshot } from "@gateway/protocol/groups.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { boundedCache, perSession } from "../session/per-session.ts";
import { groupIn, queryGroups, tag } from "../queries/network-query.ts";
import { asChatId, userOf } from "../addressing/jids.ts";
import { lidMappingOf, type LidMapping } from "../addressing/lid-mapping.ts";
import { failureOfError } from "../session/network-failures.ts";
import type { SessionContext, NetworkSession } from "../session/session-context.ts";

const GROUP_CACHE_SIZE = 200;

export class GroupCache {
  readonly #groups = boundedCache<string, GroupMetadata>(GROUP_CACHE_SIZE);
  readonly #loading = new Map<string, Promise<Outcome<GroupMetadata>>>();

  get(jid: string): GroupMetadata | undefined {
    return this.#groups.get(jid);
  }

  put(group: GroupMetadata): void {
    this.#groups.set(group.id, group);
  }

  forget(jid: string): void {
    this.#groups.delete(jid);
  }

  change(jid: string, changed: Partial<GroupMetadata>): void {
    const group = this.#groups.get(jid);
    if (group) this.#groups.set(jid, { ...group, ...changed });
  }

  changeMembers(jid: string, action: "add" | "remove" | "promote" | "demote", members: readonly GroupParticipant[]): void {
    const group = this.#groups.get(jid);
    if (!group) return;
    const affected = new Set(members.map(({ id }) => userOf(id)));
    const others = group.participants.filter(({ id }) => !affected.has(userOf(id)));
    const known = group.participants.filter(({ id }) => affected.has(userOf(id)));
    const remaining = {
      add: () => members.map((member) => ({ ...member, admin: null })),
      remove: () => [],
      promote: () => known.map((member) => ({ ...member, admin: "admin" as const })),
      demote: () => known.map((member) => ({ ...member, admin: null })),
    };
    this.change(jid, { participants: [...others, ...remaining[action]()] });
  }

  async load(ctx: SessionContext, jid: string): Promise<Outcome<GroupMetadata>> {
    const known = this.#groups.get(jid);
    return known ? { ok: true, value: known } : this.reload(ctx, jid);
  }

  /** Queries the group and reports it to the object. Concurrent calls for one group share one query. */
  reload(ctx: SessionContext, jid: string): Promise<Outcome<GroupMetadata>> {
    const running = this.#loading.get(jid);
    if (running) return running;
    const reading = this.#read(ctx, jid).finally(() => this.#loading.delete(jid));
    this.#loading.set(jid, reading);
    return reading;
  }

  async #read(ctx: SessionContext, jid: string): Promise<Outcome<GroupMetadata>> {
    try {
      const group = groupIn(await queryGroups(ctx, jid, "get", tag("query", { request: "interactive" })));
      recordGroup(ctx, group);
      return { ok: true, value: group };
    } catch (error) {
      return fail(failureOfError(error, "group"));
    }
  }
}

export const groupsOf = perSession(() => new GroupCache());

export function cachedGroupMetadata(session: NetworkSession, jid: string): Promise<GroupMetadata | undefined> {
  return Promise.resolve(groupsOf(session).get(jid));
}

export function recordGroup(session: NetworkSession, group: GroupMetadata): void {
  const lids = lidMappingOf(session);
  groupsOf(session).put(group);
  for (const { id, lid, phoneNumber } of group.participants) {
    if (phoneNumber) lids.learn(id, phoneNumber);
    if (lid) lids.learn(lid, id);
  }
  const snapshot = groupSnapshot(group, lids);
  if (snapshot) session.emit([{ key: null, event: { type: "group.snapshot", group: snapshot } }]);
}

export function groupSnapshot(group: GroupMetadata, lids: LidMapping): GroupSnapshot | null {
  const groupId = asChatId(group.id);
  if (groupId === null) return null;
  const { size, participants } = group;
  return {
    ...(size !== undefined && size > participants.length ? { size } : {}),
    group_id: groupId,
    subject: group.subject ?? "",
    description: group.desc || null,
    owner: lids.person(group.owner, group.ownerPn),
    created_at: Number.isInteger(group.creation) ? (group.creation as number) : null,
    settings: {
      messages_admins_only: group.announce === true,
      info_admins_only: group.restrict === true,
      members_can_add: group.memberAddMode === true,
      join_approval: group.joinApprovalMode === true,
      disappearing_seconds: group.ephemeralDuration ?? 0,
    },
    community_id: group.linkedParent ?? null,
    is_announcement_group: group.isCommunityAnnounce === true,
    participants: group.participants.flatMap(({ id, lid, phoneNumber, admin }) => {
      const person = lids.person(id, phoneNumber ?? lid);
      return person ? [{ person, role: admin ?? "member" }] : [];
    }),
  };
}
