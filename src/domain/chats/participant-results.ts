// What the network answers for each participant of a change (docs/use/apis.md, "Groups, contacts, labels, channels").
import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import type { ParticipantResult } from "@gateway/protocol/groups.ts";

export type ParticipantChange = "add" | "remove" | "promote" | "demote" | "approve" | "reject";
type Reason = NonNullable<ParticipantResult["reason"]>;

const DONE = 200;

/** Codes with the same meaning for every change. */
const REASONS: Readonly<Record<number, Reason>> = { 408: "recently_left", 409: "already_member", 419: "full" };

/** Codes whose meaning depends on the change. */
const REASONS_OF: Readonly<Record<ParticipantChange, Readonly<Record<number, Reason>>>> = {
  // 202: an admin has to approve first. 401: this person has blocked the number. 403: can only be invited.
  add: { 202: "not_admin", 401: "privacy", 403: "privacy", 404: "not_on_network" },
  remove: { 401: "not_admin", 403: "not_admin", 404: "not_member" },
  promote: { 401: "not_admin", 403: "not_admin", 404: "not_member" },
  demote: { 401: "not_admin", 403: "not_admin", 404: "not_member" },
  approve: { 401: "not_admin", 403: "not_admin" },
  reject: { 401: "not_admin", 403: "not_admin" },
};

export function participantResult(change: ParticipantChange, { person, code }: { person: Person; code: number | null }): ParticipantResult {
  if (code === DONE) return { person, status: "ok", code, reason: null };
  const reason = code === null ? undefined : (REASONS_OF[change][code] ?? REASONS[code]);
  return { person, status: "failed", code, reason: reason ?? "unknown" };
}

/** The failure of a change that was refused for every participant. */
const REFUSALS: Readonly<Record<Reason, FailureCode>> = {
  not_admin: "not_group_admin",
  privacy: "forbidden",
  recently_left: "forbidden",
  not_on_network: "number_not_on_network",
  not_member: "contact_not_found",
  full: "limit_of_kind",
  already_member: "network_error",
  unknown: "network_error",
};

/**
 * Null when at least one succeeded (docs/use/apis.md, "Groups, contacts, labels, channels"), or when nothing had to change: who is to be
 * added is in, who is to be removed is out. Else the failure of the first participant, with the reasons of all.
 */
export function commonRefusal(change: ParticipantChange, results: readonly ParticipantResult[]): Failure | null {
  const already = ({ reason }: ParticipantResult): boolean => reason === (change === "remove" ? "not_member" : "already_member");
  const first = results.find((result) => result.status === "failed" && !already(result));
  if (first === undefined || results.some((result) => result.status === "ok")) return null;
  const issues = results.map(({ reason }, at) => ({ field: `participants.${at}`, issue: reason ?? "unknown" }));
  return { code: REFUSALS[first.reason ?? "unknown"], issues };
}
