// Requests for the security suite: one for every Connection API route, from the documentation's examples.
import { connectionDocument } from "#root/src/api/docs/connection/document.ts";
import { exampleRequests } from "#root/src/http/openapi/requests.ts";
import { APP, type Asked, type ErrorBody, freshKey } from "../support/gateway.ts";

export type TableRequest = { name: string; method: string; path: string; init: { method: string; body?: string } };

/** A well-formed request for every route, so no refusal is due to its format. */
export const TABLE: readonly TableRequest[] = exampleRequests(connectionDocument(APP)).map(({ method, path, body }) => ({
  name: `${method} ${path}`,
  method,
  path,
  init: { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
}));

/** Requests outside the route table: unknown paths, unknown methods on known paths, and near misses. */
const NO_ROUTE = { status: 404, codigo: "rota_nao_encontrada" };
const NO_METHOD = { status: 405, codigo: "metodo_nao_permitido" };

/** `answer`: the response to a valid key. */
export const NOWHERE: readonly (TableRequest & { answer: { status: number; codigo: string } })[] = (
  [
    ["GET", "/api/v1", NO_ROUTE],
    ["GET", "/api/v1/", NO_ROUTE],
    ["GET", "/api/v1/nothing", NO_ROUTE],
    ["POST", "/api/v1/instance", NO_METHOD],
    ["DELETE", "/api/v1/messages/text", NO_METHOD],
    ["GET", "/api/v1/chats/", NO_ROUTE],
    ["GET", "/api/v1//instance", NO_ROUTE],
    ["GET", "/api/v1/instance/qr/more", NO_ROUTE],
    ["GET", "/api/v1/INSTANCE", NO_ROUTE],
    ["OPTIONS", "/api/v1/instance", NO_METHOD],
    ["PROPFIND", "/api/v1/instance", NO_METHOD],
  ] as const
).map(([method, path, answer]) => ({ name: `${method} ${path}`, method, path, init: { method }, answer }));

/** A correctly formatted key with an invalid tag. */
export function madeUpKey(): string {
  const { key } = freshKey();
  return key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");
}

export type BriefAnswer = { status: number; codigo: string; head: string; body: string; retryAfter: number };

/** The response without the id that differs each time. */
export async function answerTo(ask: Asked, { path, init }: TableRequest, headers: HeadersInit): Promise<BriefAnswer> {
  const given = new Headers(headers);
  if (init.body !== undefined) given.set("content-type", "application/json");
  const answer = await ask(path, { ...init, headers: given });
  const body = await answer.text();
  answer.headers.delete("x-request-id");
  const { error } = (body.startsWith("{") ? JSON.parse(body) : {}) as Partial<ErrorBody>;
  return {
    status: answer.status,
    codigo: error?.codigo ?? "",
    head: JSON.stringify([...answer.headers]),
    body,
    retryAfter: Number(answer.headers.get("retry-after") ?? "0"),
  };
}
