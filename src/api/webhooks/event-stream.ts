import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import { englishFailure } from "../../http/english-failure.ts";
import { guardedStream, lastEventId, socketFeed } from "../../http/event-stream.ts";
import { EventFrame } from "@gateway/protocol/event-socket.ts";
import { openEventSocket } from "../../services/connections/sockets.ts";
import { expiryOfBearer } from "../../services/identity/verify-bearer.ts";
import { authenticate } from "../account/authenticate.ts";
import { route } from "../route.ts";
import { readableEvents } from "../events/account/event-access.ts";
import { instanceId } from "../account/fields.ts";
import { accessOf } from "../context.ts";

const events = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(ACCOUNT_EVENTS)).min(1))
  // Deduplicated, because the types are stored in the socket's small attachment.
  .transform((types) => [...new Set(types)])
  .optional()
  .openapi({
    type: "string",
    ...says({ en: "Types, separated by commas; all unless said", pt: "Tipos, separados por vírgulas; todos, se não for dito" }),
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
    summary: {
      en: "The instance's events as they happen, as server-sent events",
      pt: "Os eventos da instância à medida que acontecem, como server-sent events",
    },
    description: {
      en: "The envelopes of the webhooks, with ids of their own. One stream per key and instance: a second one ends the first. It ends by itself after five minutes; come back with `Last-Event-ID` and it goes on behind that event, or says `reset` when that is not known any more. It also ends, within a second, when the right to it does: the key is removed or expires, the share is removed or changed, an account is suspended or deleted, a password is changed, the subscription ends. `instance.qr` is sent only to those who may ask for the QR: it needs the scope `manage`.",
      pt: "Os envelopes dos webhooks, com ids próprios. Um fluxo por chave e instância: um segundo encerra o primeiro. Ele termina sozinho depois de cinco minutos; volte com `Last-Event-ID` e ele continua depois daquele evento, ou diz `reset` quando ele já não é conhecido. Termina também, em até um segundo, quando acaba o direito a ele: a chave é removida ou expira, o compartilhamento é removido ou alterado, uma conta é suspensa ou excluída, uma senha é trocada, a assinatura termina. `instance.qr` só vai a quem pode pedir o QR: exige o escopo `manage`.",
    },
    params: z.object({ instanceId }),
    query: z.object({ events }),
    input: () => ({}),
    response: z.string(),
    render: async (_record, context, { query }) => {
      const { c, key, subject, user } = context;
      const { connection, role } = accessOf(context);
      const types = readableEvents(context, query.events ?? null);
      if (types?.length === 0) return englishFailure(c, { code: "forbidden", details: { scope: "manage" } });
      const request = { subject, user: user.id, events: types, after: lastEventId(c) };
      const stream = await guardedStream(c.env, {
        right: { userId: user.id, credential: key === null ? "token" : subject, connections: [connection.uuid] },
        expiresAt: key === null ? expiryOfBearer(c.req.header("authorization")) : key.expiresAt,
        open: async () => {
          const socket = await openEventSocket(c.env, connection.uuid, request);
          return socket === null ? null : socketFeed(socket, eventText);
        },
        stillAllowed: async () => {
          const again = await authenticate(c, connection.uuid);
          return again.ok && again.context.access?.role === role;
        },
      });
      return stream.ok ? stream.value : englishFailure(c, stream.failure);
    },
  }),
];

/** `JSON.stringify` writes no line breaks, so an event is one `data` line. Unknown frames, from a newer object, are skipped. */
function eventText(text: string): string {
  const read = EventFrame.safeParse(JSON.parse(text));
  if (!read.success) return "";
  const frame = read.data;
  return frame.type === "reset" ? "event: reset\ndata: {}\n\n" : `id: ${frame.id}\nevent: ${frame.event}\ndata: ${frame.json}\n\n`;
}
