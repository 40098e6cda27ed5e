// Instances of all users, as administrators see them: what D1 knows, without asking the instances themselves.
import { z } from "@hono/zod-openapi";
import { Instance } from "./schemas.ts";
import { bridgeId } from "../bridges/schemas.ts";

const {
  id,
  user_id,
  name,
  kind,
  status,
  status_reason,
  status_changed_at,
  phone_number,
  settings,
  metadata,
  proxy_id,
  created_at,
  updated_at,
} = Instance.shape;

export const AdminInstance = z
  .object({
    id,
    user_id,
    name,
    kind,
    status,
    status_reason: status_reason.nullable().openapi({ description: "Null until it has been written by this release" }),
    status_changed_at,
    phone_number,
    settings,
    metadata,
    proxy_id,
    created_at,
    updated_at,
    owner: z.object({ id: z.string(), email: z.string(), name: z.string() }),
    bridge_id: bridgeId.nullable().openapi({ description: "The bridge that has its session; null while it has none" }),
    rss_mb: z.number().nullable().openapi({ description: "Memory of that bridge, in MB; all its sessions share it", example: 612.4 }),
  })
  .openapi("AdminInstance");
