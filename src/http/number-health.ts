import { NAMED_CLOUD_LIMITS } from "@gateway/domain/cloud/limits.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { NumberHealth } from "@gateway/protocol/health.ts";
import type { ConnectionKind } from "@gateway/protocol/operations.ts";
import type { InstanceRecord } from "@gateway/protocol/records.ts";
import { isoOfMsOrNull, isoOfSeconds } from "@gateway/domain/iso-times.ts";

type Restriction = NonNullable<InstanceRecord["restriction"]>;
type Quota = NonNullable<NumberHealth["new_chat_quota"]>;

export function renderRestriction({ type, enforcement, ends_at, detected_at }: Restriction) {
  return { type, enforcement, ends_at: ends_at === null ? null : isoOfSeconds(ends_at), detected_at: isoOfSeconds(detected_at) };
}

export function renderBan(ban: InstanceRecord["ban"]) {
  return ban === null ? null : { code: ban.code, ends_at: isoOfMsOrNull(ban.ends_at) };
}

export function renderHealth(record: NumberHealth) {
  const { restriction, new_chat_quota: quota } = record;
  return {
    ...record,
    restriction: restriction === null ? null : renderRestriction(restriction),
    new_chat_quota: quota === null ? null : renderQuota(quota),
    last_inbound_at: isoOfMsOrNull(record.last_inbound_at),
    connected_since: isoOfMsOrNull(record.connected_since),
    checked_at: isoOfMsOrNull(record.checked_at),
    // The proxy is null, because only the Account API reports it.
    proxy: null,
  };
}

export function renderQuota(quota: Quota) {
  return { ...quota, cycle_ends_at: quota.cycle_ends_at === null ? null : isoOfSeconds(quota.cycle_ends_at) };
}

/** The feature of a path. For example, `/messages/poll` is `messages.poll`, and `/chats/{chatId}` belongs to `chats`. */
export function featureOf(path: string): string {
  return path
    .split("/")
    .filter((word) => word !== "" && !word.startsWith("{"))
    .join(".");
}

/** All limits by name. Cloud API numbers also have those of the Cloud API. */
export function renderLimits(kind: ConnectionKind): Record<string, number> {
  const { identity: _forPeopleWhoSignIn, ...limits } = LIMITS;
  const named = Object.entries(limits).flatMap(([name, limit]): [string, number][] =>
    typeof limit === "number"
      ? [[name, limit]]
      : Object.entries(limit).map(([part, value]): [string, number] => [`${name}_${part}`, value]),
  );
  const ofKind = kind === "cloud_api" ? NAMED_CLOUD_LIMITS : {};
  return { ...Object.fromEntries(named.map(([name, value]) => [snakeCase(name), value])), ...ofKind };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
