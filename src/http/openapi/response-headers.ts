// The headers that answers of both APIs carry.
import type { DocumentedRoute, DocumentedSurface } from "./surface.ts";
import type { Catalogue } from "./translate.ts";

type Name = "RequestId" | "RateLimit" | "RateLimitPolicy" | "RetryAfter" | "Age" | "IdempotentReplayed" | "IdempotencyMismatch";
type Header = { description: string; schema: { type: "string" | "integer"; minimum?: number; enum?: string[] } };

const text = { type: "string" } as const;

/** By the name of the component. */
const RESPONSE_HEADERS: Readonly<Record<Name, Header>> = {
  RequestId: { description: "The id of this request. Give it to support.", schema: text },
  RateLimit: { description: "What is left of the limit: `r` requests, `t` seconds until all are back.", schema: text },
  RateLimitPolicy: { description: "The limit of the key: `q` requests in `w` seconds.", schema: text },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } },
  Age: { description: "Seconds since the answer was read, when it comes from a cache.", schema: { type: "integer", minimum: 0 } },
  IdempotentReplayed: {
    description: "Present when this is the first answer to the same `Idempotency-Key` or `message_id`: nothing was done again.",
    schema: { type: "string", enum: ["true"] },
  },
  IdempotencyMismatch: {
    description: "Present when the `Idempotency-Key` was first used with another body or route.",
    schema: { type: "string", enum: ["true"] },
  },
};

/** Those that some answer of the surface carries. */
export function headersOf({ routes }: DocumentedSurface): Readonly<Partial<Record<Name, Header>>> {
  const { Age, ...others } = RESPONSE_HEADERS;
  return routes.some(({ cached }) => cached === true) ? { ...others, Age } : others;
}

const reference = (name: Name) => ({ $ref: `#/components/headers/${name}` });

export const REQUEST_ID = { "X-Request-Id": reference("RequestId") };
export const RETRY_AFTER = { "Retry-After": reference("RetryAfter") };

export function successHeaders({ mutating, cached, isPublic }: DocumentedRoute) {
  return {
    ...REQUEST_ID,
    ...(isPublic === true ? {} : { RateLimit: reference("RateLimit"), "RateLimit-Policy": reference("RateLimitPolicy") }),
    ...(cached === true ? { Age: reference("Age") } : {}),
    ...(mutating && isPublic !== true
      ? { "idempotent-replayed": reference("IdempotentReplayed"), "idempotency-mismatch": reference("IdempotencyMismatch") }
      : {}),
  };
}

/** Their descriptions, and the other texts that the generator itself writes, in Portuguese. */
export const GENERATOR_PORTUGUESE: Catalogue = {
  "The id of this request. Give it to support.": "O id deste pedido. Informe-o ao suporte.",
  "What is left of the limit: `r` requests, `t` seconds until all are back.":
    "O que resta do limite: `r` pedidos, `t` segundos até todos voltarem.",
  "The limit of the key: `q` requests in `w` seconds.": "O limite da chave: `q` pedidos em `w` segundos.",
  "Seconds to wait.": "Segundos a esperar.",
  "Seconds since the answer was read, when it comes from a cache.": "Segundos desde que a resposta foi lida, quando vem de um cache.",
  "Present when this is the first answer to the same `Idempotency-Key` or `message_id`: nothing was done again.":
    "Presente quando esta é a primeira resposta à mesma `Idempotency-Key` ou ao mesmo `message_id`: nada foi feito de novo.",
  "Present when the `Idempotency-Key` was first used with another body or route.":
    "Presente quando a `Idempotency-Key` foi usada antes com outro corpo ou outra rota.",
  "May arrive twice and out of order: deduplicate on `id`.": "Pode chegar duas vezes e fora de ordem: descarte pelo `id`.",
  "What went wrong": "O que deu errado",
  "The codes of this answer": "Os códigos desta resposta",
};
