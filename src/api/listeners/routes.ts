// Durable listeners. They work like webhooks, but the receiver opens a stream to get the events (docs/use/listeners.md, "Limits and gaps").
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import { CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import type { StyleName } from "@gateway/domain/webhooks/style/style.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { CONTROLS_PROBLEM, hasNoControls } from "@gateway/domain/people/names-and-emails.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { Failure, Outcome } from "@gateway/protocol/failures.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { type StreamSource, guardedStream, lastEventId } from "#root/src/http/event-stream.ts";
import { listenerFeed } from "#root/src/http/listener-feed.ts";
import { isoOfSeconds } from "@gateway/domain/iso-times.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { openListenerSocket } from "#root/src/services/connections/stub.ts";
import { done } from "../responses.ts";
import type { Context } from "../context.ts";
import { iso } from "../fields.ts";
import { type Family, type OperationRoute, route } from "../route.ts";

export type ListenerStyle = {
  name: StyleName;
  readable: (context: Context) => readonly string[] | null;
  connectionOf: (context: Context) => string;
  guard: (context: Context) => Pick<StreamSource, "right" | "expiresAt" | "stillAllowed">;
  refuse: (context: Context, failure: Failure) => Response;
};

const TYPES: Readonly<Record<StyleName, readonly [string, ...string[]]>> = {
  account: ACCOUNT_EVENTS as readonly string[] as [string, ...string[]],
  connection: CONNECTION_EVENTS as readonly string[] as [string, ...string[]],
};

const listenerId = z.string().max(64).openapi({ example: "lst_0123456789abcdef0123456789abcdef" });
const params = z.object({ listenerId });

const name = z
  .string()
  .trim()
  .min(1)
  .refine((text) => hasAtMostCharacters(text, LIMITS.keyNameCharacters), `must be at most ${LIMITS.keyNameCharacters} characters`)
  .refine(hasNoControls, CONTROLS_PROBLEM)
  .openapi({
    maxLength: LIMITS.keyNameCharacters,
    example: "laptop",
    ...says({ en: "Your own name for it", pt: "Um nome à sua escolha" }),
  });

export function listenerFamily(style: ListenerStyle): Family {
  const types = z.array(z.enum(TYPES[style.name]));
  const Listener = z
    .object({
      id: listenerId.openapi(says({ en: "For the stream and the removal", pt: "Use para abrir o fluxo e para remover" })),
      name,
      events: types.nullable().openapi(says({ en: "null: all types", pt: "null: todos os tipos" })),
      expires_at: iso.openapi(
        says({
          en: "When the listener ends if no stream is open. Each stream extends this until 15 minutes after its own end",
          pt: "Quando o ouvinte termina se nenhum fluxo estiver aberto. Cada fluxo estende este prazo até 15 minutos depois de terminar",
        }),
      ),
    })
    .openapi("Listener");
  const show = ({ expires_at, ...listener }: OperationOutput<"listeners.create">) => ({
    data: { ...listener, expires_at: isoOfSeconds(Math.floor(expires_at / 1000)) },
  });
  const routes: OperationRoute[] = [
    route({
      name: "createListener",
      effect: "change",
      method: "post",
      path: "/listeners",
      operation: "listeners.create",
      status: 201,
      summary: documented({ en: "Creates a durable listener for events", pt: "Cria um ouvinte durável de eventos" }),
      description: documented({
        en: "From now on the gateway stores this number's events for the listener, until the reader has received them. It keeps at most 10,000 events. A listener without a stream ends after 15 minutes. A number has at most five listeners; an unread one of the same key makes room for a new one, and a guest's for the owner's.",
        pt: "A partir de agora o gateway guarda os eventos deste número para o ouvinte, até quem lê os receber. Guarda no máximo 10.000 eventos. Um ouvinte sem fluxo termina depois de 15 minutos. Um número tem no máximo cinco ouvintes; um da mesma chave que ninguém lê dá lugar a um novo, e o de um convidado, ao do dono.",
      }),
      failures: ["listener_limit"],
      example: { body: { name: "laptop", events: ["message.received"] } },
      body: z.strictObject({
        name,
        events: types
          .min(1)
          .transform((list) => [...new Set(list)])
          .optional()
          .openapi(says({ en: "Absent: all types", pt: "Ausente: todos os tipos" })),
      }),
      input: ({ body }) => ({ style: style.name, name: body.name, events: body.events ?? null }),
      response: z.object({ data: Listener }),
      render: show,
    }),
    route({
      name: "streamListenerEvents",
      effect: "read",
      method: "get",
      path: "/listeners/{listenerId}/events",
      operation: "listeners.open",
      streams: true,
      summary: documented({
        en: "Streams the listener's events as server-sent events",
        pt: "Transmite os eventos do ouvinte como server-sent events",
      }),
      description: documented({
        en: "Each event has the body, `id` and type of this API's webhooks, and an increasing number as the `id` of the stream. The stream closes after five minutes. Reconnect with `Last-Event-ID` to continue after that event; the gateway then deletes everything up to it. If events were dropped in between, the stream says so first: `event: gap` with `{ missed, since, until }`. A second stream of the same listener closes the first, which ends with the comment `: taken` and should not reconnect. A comment arrives at least every 20 seconds. 404 means that the listener ended: create a new one, and expect a gap.",
        pt: "Cada evento tem o corpo, o `id` e o tipo dos webhooks desta API, e um número crescente como `id` do fluxo. O fluxo termina depois de cinco minutos. Reconecte com `Last-Event-ID` para continuar depois daquele evento; o gateway então apaga tudo até ele. Se eventos foram descartados nesse meio-tempo, o fluxo avisa primeiro: `event: gap` com `{ missed, since, until }`. Um segundo fluxo do mesmo ouvinte encerra o primeiro, que termina com o comentário `: taken` e não deve reconectar. Um comentário chega pelo menos a cada 20 segundos. 404 quer dizer que o ouvinte terminou: crie um novo e considere que alguns eventos se perderam.",
      }),
      failures: ["listener_not_found"],
      params,
      input: (given) => ({ id: given.params.listenerId }),
      response: z.string(),
      render: async (_opened, context, given) => {
        const stream = await openStream(style, context, given.params.listenerId);
        return stream.ok ? stream.value : style.refuse(context, stream.failure);
      },
    }),
    route({
      name: "deleteListener",
      effect: "destructive",
      method: "delete",
      path: "/listeners/{listenerId}",
      operation: "listeners.remove",
      summary: documented({
        en: "Ends a listener, and deletes its stored events",
        pt: "Encerra um ouvinte e apaga os eventos guardados dele",
      }),
      failures: ["listener_not_found"],
      params,
      input: (given) => ({ id: given.params.listenerId }),
      ...done,
    }),
  ];
  return {
    name: "listeners",
    title: documented({ en: "Listeners", pt: "Ouvintes" }),
    description: documented({
      en: "Durable event streams: they survive a lost connection and a restart of the reader, and need no public address.",
      pt: "Fluxos duráveis de eventos: sobrevivem a uma conexão perdida e a um reinício de quem lê, e não precisam de endereço público.",
    }),
    // The `read` scope is enough, although two of the routes are not GET.
    routes: routes.map((row) => ({ ...row, scope: "read" })),
  };
}

function openStream(style: ListenerStyle, context: Context, id: string): Promise<Outcome<Response>> {
  const { env } = context.c;
  const after = Number(/^\d{1,15}$/.exec(lastEventId(context.c) ?? "")?.[0] ?? 0);
  const readable = style.readable(context);
  return guardedStream(env, {
    ...style.guard(context),
    open: async () => {
      const socket = await openListenerSocket(env, style.connectionOf(context), { id });
      return socket === null ? null : listenerFeed(socket, after, (type) => readable?.includes(type) ?? true);
    },
  });
}
