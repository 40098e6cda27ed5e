import { getBinaryNodeChild, getBinaryNodeChildren, type BinaryNode, type GroupMetadata } from "baileys";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { groupsOf, recordGroup } from "../../memory/group-cache.ts";
import type { SessionContext } from "../../session/session-context.ts";
import type { CommandHandlers } from "../command-handlers.ts";
import { ANY_GROUP, groupIn, queryGroups, setSubject, tag, withoutAt } from "../../queries/network-query.ts";
import { snapshotOf } from "./reads.ts";
import { errorFacts } from "#bridge/log.ts";
import { jidOfPerson, userOf } from "../../addressing/jids.ts";
import { lidMappingOf } from "../../addressing/lid-mapping.ts";
import { registeredNumbersOf } from "../../addressing/registered-numbers.ts";

const OK = 200;

export const groupMembers: Pick<CommandHandlers<"groups">, "groups.create" | "groups.participants" | "groups.decide" | "groups.leave"> = {
  "groups.create": async (ctx, { subject, participants }) => {
    const requested = await resolveParticipants(ctx, participants);
    if (!requested.ok) return requested;
    const create = tag("create", { subject: withoutAt(subject) || "-" }, participantTags(requested.value));
    const reply = await queryGroups(ctx, ANY_GROUP, "set", create);
    const created = groupIn(reply);
    const group = subject.includes("@") ? await renamed(ctx, created, subject) : created;
    recordGroup(ctx.session, group);
    const snapshot = snapshotOf(ctx, group);
    if (!snapshot.ok) return snapshot;
    return {
      ok: true,
      value: { group: snapshot.value, participants: await participantResults(ctx, requested.value, getBinaryNodeChild(reply, "group")) },
    };
  },

  "groups.participants": async (ctx, { group_id, action, participants }) => {
    const requested = action === "add" ? await resolveParticipants(ctx, participants) : await resolveMembers(ctx, group_id, participants);
    if (!requested.ok) return requested;
    const tags = participantTags(requested.value);
    const reply = tags.length === 0 ? undefined : await queryGroups(ctx, group_id, "set", tag(action, {}, tags));
    const results = await participantResults(ctx, requested.value, reply && getBinaryNodeChild(reply, action));
    updateCachedMembers(
      ctx,
      group_id,
      action,
      requested.value.filter((_, at) => results[at]?.code === OK),
    );
    return { ok: true, value: { participants: results } };
  },

  "groups.decide": async (ctx, { group_id, verdict, participants }) => {
    const requested = await resolveParticipants(ctx, participants);
    if (!requested.ok) return requested;
    const tags = participantTags(requested.value);
    if (tags.length === 0) return { ok: true, value: { participants: await participantResults(ctx, requested.value, undefined) } };
    const reply = await queryGroups(ctx, group_id, "set", tag("membership_requests_action", {}, [tag(verdict, {}, tags)]));
    if (verdict === "approve") groupsOf(ctx.session).forget(group_id);
    const decided = getBinaryNodeChild(getBinaryNodeChild(reply, "membership_requests_action"), verdict);
    return { ok: true, value: { participants: await participantResults(ctx, requested.value, decided) } };
  },

  "groups.leave": async (ctx, { group_id }) => {
    const reply = await queryGroups(ctx, ANY_GROUP, "set", tag("leave", {}, [tag("group", { id: group_id })]));
    // The query succeeds even if the change failed for this group, so this checks the group's own result in the response.
    const refused = getBinaryNodeChild(getBinaryNodeChild(reply, "leave"), "group")?.attrs["error"];
    if (refused !== undefined) throw Object.assign(new Error("not left"), { data: Number(refused) });
    groupsOf(ctx.session).forget(group_id);
    return { ok: true, value: {} };
  },
};

/** The group already exists. If this fails, only the "@" is missing from its subject. */
async function renamed(ctx: SessionContext, group: GroupMetadata, subject: string): Promise<GroupMetadata> {
  try {
    await setSubject(ctx, group.id, subject);
    return { ...group, subject };
  } catch (error) {
    ctx.logger.warn(errorFacts(error), "group.not_renamed");
    return group;
  }
}

/** Removed members must leave the cache before the next send. Added members may not be known here yet, so the group is reloaded. */
function updateCachedMembers(
  ctx: SessionContext,
  groupId: string,
  action: "add" | "remove" | "promote" | "demote",
  done: readonly RequestedParticipant[],
): void {
  if (done.length === 0) return;
  const groups = groupsOf(ctx.session);
  if (action === "add") groups.forget(groupId);
  else
    groups.changeMembers(
      groupId,
      action,
      done.flatMap(({ jid }) => (jid === null ? [] : [{ id: jid, admin: null }])),
    );
}

type RequestedParticipant = { person: Person; jid: string | null };
type ParticipantResult = { person: Person; code: number | null };

const NOT_FOUND = 404;

async function resolveParticipants(ctx: SessionContext, persons: readonly Person[]): Promise<Outcome<RequestedParticipant[]>> {
  const lids = lidMappingOf(ctx.session);
  const known = persons.map((person) => ({ ...person, phone: person.phone ?? (person.lid === null ? null : lids.phoneOf(person.lid)) }));
  const numbers = await registeredNumbersOf(ctx.session).lookUpAll(
    ctx,
    known.flatMap(({ phone }) => phone ?? []),
  );
  if (!numbers.ok) return numbers;
  const requested = known.map(({ phone, lid }): RequestedParticipant => {
    if (phone === null) return { person: { phone, lid }, jid: jidOfPerson({ phone, lid }) };
    const number = numbers.value.get(phone) ?? null;
    const person = { phone: number ?? phone, lid: lid ?? lids.lidOf(number ?? phone) };
    return { person, jid: number === null ? null : jidOfPerson(person) };
  });
  return { ok: true, value: requested };
}

/** Resolves each member to the JID that the group lists, by phone or LID. Other people are resolved as in `resolveParticipants`. */
async function resolveMembers(ctx: SessionContext, groupId: ChatId, persons: readonly Person[]): Promise<Outcome<RequestedParticipant[]>> {
  const group = await groupsOf(ctx.session).load(ctx, groupId);
  if (!group.ok) return group;
  const lids = lidMappingOf(ctx.session);
  const named = new Map<string, RequestedParticipant>();
  for (const { id, phoneNumber, lid } of group.value.participants) {
    const person = lids.person(id, phoneNumber ?? lid);
    if (person === null) continue;
    for (const user of [person.phone, person.lid]) if (user !== null) named.set(user, { person, jid: id });
  }
  const memberOf = ({ phone, lid }: Person): RequestedParticipant | undefined => named.get(phone ?? "") ?? named.get(lid ?? "");
  const others = await resolveParticipants(
    ctx,
    persons.filter((person) => memberOf(person) === undefined),
  );
  if (!others.ok) return others;
  const rest = others.value.values();
  return { ok: true, value: persons.map((person) => memberOf(person) ?? matchMember(rest.next().value, memberOf, person)) };
}

function participantTags(requested: readonly RequestedParticipant[]): BinaryNode[] {
  return [...new Set(requested.flatMap(({ jid }) => jid ?? []))].map((jid) => tag("participant", { jid }));
}

async function participantResults(
  ctx: SessionContext,
  requested: readonly RequestedParticipant[],
  reply: BinaryNode | undefined,
): Promise<ParticipantResult[]> {
  const codes = codesIn(ctx, reply);
  const codeOf = (user: string | null): number | null => codes.get(user ?? "") ?? null;
  const first = requested.map(({ person, jid }): ParticipantResult & { jid: string | null } => {
    const code = jid === null ? NOT_FOUND : (codeOf(userOf(jid)) ?? codeOf(person.phone) ?? codeOf(person.lid));
    return { person: lidMappingOf(ctx.session).person(jid, jidOfPerson(person)) ?? person, jid, code };
  });
  // The network returned these people only by LID, although we asked by phone number, so their LIDs are looked up.
  const lids = await lidsOf(
    ctx,
    first.flatMap(({ jid, code }) => (jid !== null && code === null ? [jid] : [])),
  );
  return first.map(({ person, jid, code }) => ({ person, code: code ?? codeOf(lids.get(userOf(jid) ?? "") ?? null) }));
}

function codesIn(ctx: SessionContext, reply: BinaryNode | undefined): ReadonlyMap<string, number> {
  const codes = new Map<string, number>();
  for (const { attrs } of getBinaryNodeChildren(reply, "participant")) {
    const person = lidMappingOf(ctx.session).person(attrs["jid"], attrs["phone_number"] ?? attrs["lid"]);
    const code = Number(attrs["error"] ?? OK);
    for (const user of [userOf(attrs["jid"]), person?.phone, person?.lid]) if (user) codes.set(user, code);
  }
  return codes;
}

/** Looks up LIDs by phone number. The change has already taken effect, so if the look-up fails, only these people's results are unknown. */
async function lidsOf({ sock, logger }: SessionContext, jids: string[]): Promise<ReadonlyMap<string, string | null>> {
  if (jids.length === 0) return new Map();
  try {
    const pairs = (await sock.signalRepository.lidMapping.getLIDsForPNs(jids)) ?? [];
    return new Map(pairs.map(({ pn, lid }) => [userOf(pn) ?? "", userOf(lid)]));
  } catch (error) {
    logger.warn(errorFacts(error), "participants.unnamed");
    return new Map();
  }
}

/** Finds the requested member, whose phone number the group may list in another form. */
function matchMember(
  participant: RequestedParticipant | undefined,
  memberOf: (person: Person) => RequestedParticipant | undefined,
  person: Person,
): RequestedParticipant {
  if (participant === undefined) return { person, jid: null };
  return memberOf(participant.person) ?? participant;
}
