import type { z } from "zod";
import { renderBan, renderRestriction } from "../../http/number-health.ts";
import { isoOfMs } from "../../http/times.ts";
import type { InstanceRecord } from "@gateway/protocol/records.ts";
import type { Instance } from "./schemas.ts";

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
    ban: renderBan(record.ban),
  };
}
