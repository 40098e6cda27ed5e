import type { DocumentedRoute, DocumentedSurface } from "./surface.ts";
import type { Language, Text } from "./text.ts";

type Name = "RequestId" | "RateLimit" | "RateLimitPolicy" | "RetryAfter" | "Age" | "IdempotentReplayed" | "IdempotencyMismatch";
type Header = { description: Text; schema: { type: "string" | "integer"; minimum?: number; enum?: string[] } };

const text = { type: "string" } as const;

const RESPONSE_HEADERS: Readonly<Record<Name, Header>> = {
  RequestId: {
    description: { en: "The id of this request. Give it to support.", pt: "O id deste pedido. Informe-o ao suporte." },
    schema: text,
  },
  RateLimit: {
    description: {
      en: "What is left of the limit: `r` requests, `t` seconds until all are back.",
      pt: "O que resta do limite: `r` pedidos, `t` segundos até todos voltarem.",
    },
    schema: text,
  },
  RateLimitPolicy: {
    description: { en: "The limit of the key: `q` requests in `w` seconds.", pt: "O limite da chave: `q` pedidos em `w` segundos." },
    schema: text,
  },
  RetryAfter: { description: { en: "Seconds to wait.", pt: "Segundos a esperar." }, schema: { type: "integer", minimum: 1 } },
  Age: {
    description: {
      en: "Seconds since the answer was read, when it comes from a cache.",
      pt: "Segundos desde que a resposta foi lida, quando vem de um cache.",
    },
    schema: { type: "integer", minimum: 0 },
  },
  IdempotentReplayed: {
    description: {
      en: "Present when this is the first answer to the same `Idempotency-Key` or `message_id`: nothing was done again.",
      pt: "Presente quando esta é a primeira resposta à mesma `Idempotency-Key` ou ao mesmo `message_id`: nada foi feito de novo.",
    },
    schema: { type: "string", enum: ["true"] },
  },
  IdempotencyMismatch: {
    description: {
      en: "Present when the `Idempotency-Key` was first used with another body or route.",
      pt: "Presente quando a `Idempotency-Key` foi usada antes com outro corpo ou outra rota.",
    },
    schema: { type: "string", enum: ["true"] },
  },
};

/** Lists `Age` only where some response may be cached. */
export function headersOf({ routes }: DocumentedSurface, language: Language) {
  const isCached = routes.some(({ cached }) => cached === true);
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS)
      .filter(([name]) => name !== "Age" || isCached)
      .map(([name, { description, schema }]) => [name, { description: description[language], schema }]),
  );
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
