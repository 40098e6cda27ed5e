import { EventFrame } from "@gateway/protocol/stream-sockets.ts";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { guardedStream, lastEventId, socketFeed, type StreamSource } from "#root/src/http/event-stream.ts";
import { openEventSocket } from "#root/src/services/connections/stub.ts";
import { expiryOfBearer } from "#root/src/services/identity/verify-bearer.ts";
import { authenticate } from "../../account/authenticate.ts";
import { instanceId } from "../../account/fields.ts";
import { type AccountContext, accessOf } from "../../context.ts";
import { route } from "../../route.ts";
import { readableEvents } from "./event-access.ts";

const events = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(ACCOUNT_EVENTS)).min(1))
  // Deduplicated, because the types are stored in the socket's small attachment.
  .transform((types) => [...new Set(types)])
  .optional()
  .openapi({
    type: "string",
    ...says({ en: "Types, separated by commas; absent: all", pt: "Tipos, separados por vírgulas; ausente: todos" }),
  });

export const eventRoutes = [
  route({
    name: "streamEvents",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/events",
    scope: "read",
    operation: "instance.get",
    counted: true,
    streams: true,
    summary: documented({
      en: "Streams the instance's events as server-sent events",
      pt: "Transmite os eventos da instância como server-sent events",
    }),
    description: documented({
      en: "The stream sends the same envelopes as webhooks, with their own ids. Each key has one stream per instance: a second one closes the first. The stream closes after five minutes. Reconnect with `Last-Event-ID` to continue after that event; you get `reset` if the gateway no longer has it. The stream also closes within a second when access ends: the key is removed or expires, the share is removed or changes, an account is suspended or deleted, a password changes, or the subscription ends. `instance.qr` requires the scope `manage`.",
      pt: "O fluxo envia os mesmos envelopes dos webhooks, com ids próprios. Cada chave tem um fluxo por instância: um segundo encerra o primeiro. O fluxo termina depois de cinco minutos. Reconecte com `Last-Event-ID` para continuar depois daquele evento; você recebe `reset` se o gateway não o tem mais. O fluxo também termina em até um segundo quando o acesso acaba: a chave é removida ou expira, o compartilhamento é removido ou muda, uma conta é suspensa ou apagada, uma senha muda, ou a assinatura termina. `instance.qr` exige o escopo `manage`.",
    }),
    params: z.object({ instanceId }),
    query: z.object({ events }),
    input: () => ({}),
    response: z.string(),
    render: async (_record, context, { query }) => {
      const { c, subject, user } = context;
      const { connection } = accessOf(context);
      const types = readableEvents(context, query.events ?? null);
      if (types?.length === 0) return englishFailure(c, { code: "forbidden", details: { scope: "manage" } });
      const request = { subject, user: user.id, events: types, after: lastEventId(c) };
      const stream = await guardedStream(c.env, {
        ...streamGuard(context),
        open: async () => {
          const socket = await openEventSocket(c.env, connection.uuid, request);
          return socket === null ? null : socketFeed(socket, eventText);
        },
      });
      return stream.ok ? stream.value : englishFailure(c, stream.failure);
    },
  }),
];

/** Guards the stream of one instance, and ends it when its reader loses access. */
export function streamGuard(context: AccountContext): Pick<StreamSource, "right" | "expiresAt" | "stillAllowed"> {
  const { c, key, subject, user } = context;
  const { connection, role } = accessOf(context);
  return {
    right: { userId: user.id, credential: key === null ? "token" : subject, connections: [connection.uuid] },
    expiresAt: key === null ? expiryOfBearer(c.req.header("authorization")) : key.expiresAt,
    stillAllowed: async () => {
      const again = await authenticate(c, connection.uuid);
      return again.ok && again.context.access?.role === role;
    },
  };
}

/** `JSON.stringify` writes no line breaks, so an event is one `data` line. Unknown frames from a newer object are skipped. */
function eventText(text: string): string {
  const read = EventFrame.safeParse(JSON.parse(text));
  if (!read.success) return "";
  const frame = read.data;
  return frame.type === "reset" ? "event: reset\ndata: {}\n\n" : `id: ${frame.id}\nevent: ${frame.event}\ndata: ${frame.json}\n\n`;
}
