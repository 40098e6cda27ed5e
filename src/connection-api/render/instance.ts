import type { z } from "zod";
import { isoOfMs, isoOfSeconds } from "../../http/times.ts";
import type { InstanceRecord } from "../../protocol/records.ts";
import type { Instance, Restriction } from "../schemas/instance.ts";

export function renderInstance(record: InstanceRecord): z.input<typeof Instance> {
  const { id, name, phone, kind, status, status_reason, profile_name, restriction, subscription } = record;
  return {
    id,
    name,
    phone,
    kind,
    status,
    status_reason,
    profile_name,
    subscription,
    status_changed_at: isoOfMs(record.status_changed_at),
    profile_picture_url: null,
    restriction: restriction === null ? null : renderRestriction(restriction),
  };
}

export function renderRestriction({
  type,
  enforcement,
  ends_at,
  detected_at,
}: NonNullable<InstanceRecord["restriction"]>): z.input<typeof Restriction> {
  return { type, enforcement, ends_at: ends_at === null ? null : isoOfSeconds(ends_at), detected_at: isoOfSeconds(detected_at) };
}
