import type { z } from "zod";
import { renderBan, renderQuota, renderRestriction } from "#root/src/http/number-health.ts";
import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import type { InstanceRecord } from "@gateway/protocol/records.ts";
import { shownCloudNumber } from "#root/src/services/connections/change.ts";
import { type ConnectionRow, settingsOfRow } from "#root/src/services/connections/record.ts";
import type { Instance, InstanceStatus } from "./schemas.ts";

/** The status that was last written to D1, for an instance whose object does not respond. */
export type LastKnownState = Pick<InstanceRecord, "phone"> & { status: InstanceRecord["status"] | null };

export function renderInstance(row: ConnectionRow, record: InstanceRecord): z.input<typeof Instance> {
  const { profile_name, platform, is_business } = record;
  return {
    ...renderRow(row),
    ...renderStatus(record),
    profile_name,
    profile_picture_url: null,
    platform,
    is_business,
    last_connected_at: isoOfMsOrNull(record.last_connected_at),
    last_disconnected_at: isoOfMsOrNull(record.last_disconnected_at),
    last_inbound_at: isoOfMsOrNull(record.last_inbound_at),
  };
}

export function renderStatus(record: InstanceRecord): z.input<typeof InstanceStatus> {
  const { status, status_reason, restriction, new_chat_quota: quota, reconnect } = record;
  return {
    status,
    status_reason,
    status_changed_at: isoOfMs(record.status_changed_at),
    phone_number: record.phone,
    qr_expires_at: isoOfMsOrNull(record.qr_expires_at),
    reconnect: reconnect === null ? null : { attempt: reconnect.attempt, next_at: isoOfMs(reconnect.next_at) },
    restriction: restriction === null ? null : renderRestriction(restriction),
    ban: renderBan(record.ban),
    new_chat_quota: quota === null ? null : renderQuota(quota),
  };
}

/** An unreachable object must not fail the whole list. */
export function renderUnreachable(row: ConnectionRow, { status, phone }: LastKnownState): z.input<typeof Instance> {
  return {
    ...renderRow(row),
    status: status ?? "disconnected",
    status_reason: "unavailable",
    status_changed_at: null,
    phone_number: phone,
    qr_expires_at: null,
    reconnect: null,
    restriction: null,
    ban: null,
    new_chat_quota: null,
    profile_name: null,
    profile_picture_url: null,
    platform: null,
    is_business: null,
    last_connected_at: null,
    last_disconnected_at: null,
    last_inbound_at: null,
  };
}

function renderRow(row: ConnectionRow) {
  const { uuid, ownerId, name, kind, metadata, proxyId } = row;
  return {
    id: uuid,
    user_id: ownerId,
    name,
    kind,
    settings: settingsOfRow(row),
    metadata,
    proxy_id: proxyId,
    cloud_api: shownCloudNumber(row),
    created_at: isoOfMs(row.createdAt),
    updated_at: isoOfMs(row.updatedAt),
  };
}
