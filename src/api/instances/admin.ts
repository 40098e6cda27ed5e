import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { moveInstance, pageOfInstances } from "../bridges/administration.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/style.ts";
import { instanceId, limitUpTo, message, nextCursor } from "../account/fields.ts";
import { Instance } from "./schemas.ts";
import { route } from "../route.ts";
import { adminAction } from "../admin-action.ts";
import { bridgeId } from "../bridges/schemas.ts";
import { userId } from "../users/schemas.ts";

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

const AdminInstance = z
  .object({
    id,
    user_id,
    name,
    kind,
    status,
    status_reason: status_reason
      .nullable()
      .openapi(
        says({ en: "Null until the object has reported to this release", pt: "Null até a instância informar o valor a esta versão" }),
      ),
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
        en: "The bridge with its session; null without one",
        pt: "O bridge com a sessão; null se não há",
      }),
    ),
    rss_mb: z
      .number()
      .nullable()
      .openapi({
        ...says({
          en: "Memory of that bridge, in MB, shared by all its sessions",
          pt: "Memória desse bridge, em MB, dividida por todas as sessões",
        }),
        example: 612.4,
      }),
  })
  .openapi("AdminInstance");

const cursors = cursorCodec(z.number().int());

export const adminInstanceRoutes = [
  route({
    name: "listAllInstances",
    effect: "read",
    method: "get",
    path: "/admin/instances",
    scope: "admin",
    summary: documented({
      en: "The instances of all users, with owner and bridge, oldest first",
      pt: "As instâncias de todos os usuários, com dono e bridge, as mais antigas primeiro",
    }),
    description: documented({
      en: "Status, phone and bridge are as each instance last reported, so they may lag by a moment.",
      pt: "Status, telefone e bridge são os que cada instância informou por último e podem estar um instante atrasados.",
    }),
    example: { query: { status: "connected", limit: 50 } },
    query: z.object({
      user_id: userId.optional(),
      status: status.optional(),
      bridge_id: bridgeId.optional(),
      q: z
        .string()
        .trim()
        .min(1)
        .max(254)
        .optional()
        .openapi(
          says({
            en: "Part of the name, the phone number or the owner's email address",
            pt: "Parte do nome, do número ou do e-mail do dono",
          }),
        ),
      limit: limitUpTo(200),
      cursor: cursorField(cursors),
    }),
    run: async (context, { query }) => {
      const { user_id = null, status = null, bridge_id = null, q = null, limit, cursor = 0 } = query;
      const { data, next } = await pageOfInstances(context, { userId: user_id, status, bridgeId: bridge_id, q }, { after: cursor, limit });
      return { ok: true, value: { data, next_cursor: next === null ? null : cursors.write(next) } };
    },
    response: z.object({ data: z.array(AdminInstance), next_cursor: nextCursor }),
    render: (page) => page,
  }),
  adminAction({
    name: "moveInstance",
    effect: "change",
    method: "post",
    path: "/admin/instances/{instanceId}/move",
    summary: documented({
      en: "Moves a connected instance to another session bridge",
      pt: "Move uma instância conectada para outro bridge de sessões",
    }),
    description: documented({
      en: "Moves to the given bridge, or to the least loaded other one. The old bridge first finishes the sends in progress; new sends wait. Nothing is lost or sent twice, and nobody has to pair again.",
      pt: "Move para o bridge indicado, ou para o que tiver menos carga. O bridge antigo termina antes os envios em andamento, e os novos esperam. Nada é perdido nem enviado duas vezes, e ninguém precisa parear de novo.",
    }),
    failures: [
      "instance_not_found",
      "without_session",
      "instance_not_connected",
      "bridge_not_found",
      "already_on_bridge",
      "bridge_draining",
      "bridge_full",
    ],
    example: { body: { bridge_id: "eu-2", reason: "Closer to its owner" } },
    params: z.object({ instanceId }),
    body: z.strictObject({ bridge_id: bridgeId.optional() }),
    run: (context, { params, body }) => moveInstance(context, params.instanceId, body.bridge_id ?? null),
    response: message.openapi({ example: { message: "The instance is on the bridge eu-2." } }),
    render: (result) => result,
  }),
];
