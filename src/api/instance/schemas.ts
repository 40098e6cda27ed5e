import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import { Ban, Restriction } from "../../http/number-health-fields.ts";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";
import { iso, phoneOrNull } from "../fields.ts";

export const Instance = z
  .object({
    id: z.number().int(),
    name: z.string(),
    phone: phoneOrNull,
    kind: z.enum(["session", "cloud_api"]),
    status: z.enum(INSTANCE_STATUSES),
    status_reason: z.enum(STATUS_REASONS as readonly string[]),
    status_changed_at: iso,
    profile_name: z.string().nullable(),
    profile_picture_url: z.string().nullable(),
    restriction: Restriction.nullable(),
    ban: Ban.nullable(),
    subscription: z.object({ status: z.string(), current_period_end: iso.nullable() }).nullable(),
  })
  .openapi("Instance");

export const Qr = z
  .object({ qr: z.string().openapi(says({ en: "PNG as a data URL", pt: "PNG como data URL" })), raw: z.string(), expires_at: iso })
  .openapi("Qr");

export const PairingCode = z
  .object({ code: z.string().openapi({ example: "ABCD-EFGH" }), phone_number: z.string(), expires_at: iso })
  .openapi("PairingCode");
