// The network's result codes for changes of participants (docs/use/apis.md, "Groups, contacts, labels, channels").
import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import type { ParticipantResult } from "@gateway/protocol/groups.ts";

export type ParticipantChange = "add" | "remove" | "promote" | "demote" | "approve" | "reject";
type Reason = NonNullable<ParticipantResult["reason"]>;

const DONE = 200;

const REASONS: Readonly<Record<number, Reason>> = { 408: "recently_left", 409: "already_member", 419: "full" };

const REASONS_OF: Readonly<Record<ParticipantChange, Readonly<Record<number, Reason>>>> = {
  // 202 means that an admin has to approve, 401 that this person blocked the number, and 403 that this person can only be invited.
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

/** Returns null if the change succeeded or nothing had to change. Otherwise, returns the first failure with every participant's reason. */
export function commonRefusal(change: ParticipantChange, results: readonly ParticipantResult[]): Failure | null {
  const already = ({ reason }: ParticipantResult): boolean => reason === (change === "remove" ? "not_member" : "already_member");
  const first = results.find((result) => result.status === "failed" && !already(result));
  if (first === undefined || results.some((result) => result.status === "ok")) return null;
  const issues = results.map(({ reason }, at) => ({ field: `participants.${at}`, issue: reason ?? "unknown" }));
  return { code: REFUSALS[first.reason ?? "unknown"], issues };
}
