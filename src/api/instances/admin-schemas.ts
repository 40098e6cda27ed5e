// Instances as D1 knows them, without asking their objects.
import { says } from "../../http/openapi/text.ts";
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
    status_reason: status_reason
      .nullable()
      .openapi(says({ en: "Null until it has been written by this release", pt: "Null até ser gravado por esta versão" })),
    status_changed_at,
    phone_number,
    settings,
    metadata,
    proxy_id,
    created_at,
    updated_at,
    owner: z.object({ id: z.string(), email: z.string(), name: z.string() }),
    bridge_id: bridgeId.nullable().openapi(
      says({
        en: "The bridge that has its session; null while it has none",
        pt: "O bridge que tem sua sessão; null enquanto não há sessão",
      }),
    ),
    rss_mb: z
      .number()
      .nullable()
      .openapi({
        ...says({
          en: "Memory of that bridge, in MB; all its sessions share it",
          pt: "Memória desse bridge, em MB; todas as suas sessões a dividem",
        }),
        example: 612.4,
      }),
  })
  .openapi("AdminInstance");
