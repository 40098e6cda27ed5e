import type { DocumentedRoute, DocumentedSurface } from "./surface.ts";
import type { Language, Text } from "./text.ts";

type Name = "RequestId" | "RateLimit" | "RateLimitPolicy" | "RetryAfter" | "Help" | "Age" | "IdempotentReplayed" | "IdempotencyMismatch";
type Header = { description: Text; schema: { type: "string" | "integer"; minimum?: number; enum?: string[] } };

const text = { type: "string" } as const;

const RESPONSE_HEADERS: Readonly<Record<Name, Header>> = {
  RequestId: {
    description: { en: "The id of this request. Quote it when you contact support.", pt: "O id desta requisição. Informe-o ao suporte." },
    schema: text,
  },
  RateLimit: {
    description: {
      en: "The rest of the limit: `r` requests, `t` seconds until the first of them is available again.",
      pt: "O que resta do limite: `r` requisições, e `t` segundos até a primeira delas voltar.",
    },
    schema: text,
  },
  RateLimitPolicy: {
    description: { en: "The limit of the key: `q` requests in `w` seconds.", pt: "O limite da chave: `q` requisições em `w` segundos." },
    schema: text,
  },
  RetryAfter: { description: { en: "Seconds to wait.", pt: "Quantos segundos esperar." }, schema: { type: "integer", minimum: 1 } },
  Help: {
    description: { en: 'The chapter about errors, as `rel="help"`.', pt: 'O capítulo sobre erros, como `rel="help"`.' },
    schema: text,
  },
  Age: {
    description: {
      en: "The age of a cached response, in seconds.",
      pt: "A idade de uma resposta do cache, em segundos.",
    },
    schema: { type: "integer", minimum: 0 },
  },
  IdempotentReplayed: {
    description: {
      en: "Present if this is a replay of the first response to the same `Idempotency-Key` or `message_id`: the action was not repeated.",
      pt: "Presente se esta é a primeira resposta à mesma `Idempotency-Key` ou ao mesmo `message_id`: a ação não foi repetida.",
    },
    schema: { type: "string", enum: ["true"] },
  },
  IdempotencyMismatch: {
    description: {
      en: "Present if the `Idempotency-Key` was first used with another body or route.",
      pt: "Presente se a `Idempotency-Key` foi usada antes com outro corpo ou outra rota.",
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
export const OF_ERRORS = { ...REQUEST_ID, Link: reference("Help") };
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
