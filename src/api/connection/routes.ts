import { documented } from "#root/src/http/openapi/documentation.ts";
import { familiesOf } from "../families.ts";
import { ownNumber } from "./own-number.ts";
import { type Family, type OperationRoute, route } from "../route.ts";
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import { VIEWS } from "./style.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { streamBase64Json } from "#root/src/http/body/base64-stream.ts";
import { INERT } from "#root/src/http/file-headers.ts";
import { openMedia } from "#root/src/services/media/open.ts";
import { linkTo, MediaResponse, messageOf, MESSAGE_PATH, messageParams } from "../chats/messages.ts";
import { PERSON_FAILURES } from "../failure-lists.ts";
import type { KeyContext } from "../context.ts";
import { listenerFamily } from "../listeners/routes.ts";
import { portugueseFailure } from "./failure.ts";

const mediaRoute = route({
  method: "get",
  path: `${MESSAGE_PATH}/media`,
  name: "getMessageMedia",
  effect: "read",
  operation: "messages.media",
  summary: documented({ en: "The file of a message, as a link or in Base64", pt: "O arquivo de uma mensagem, como link ou em base64" }),
  failures: [...PERSON_FAILURES, "message_not_found", "media_expired"],
  params: messageParams,
  query: z.object({ format: z.enum(["url", "base64"]).default("url") }),
  input: messageOf,
  response: MediaResponse,
  render: async (file, { c, appUrl, now }, { query }) => {
    if (query.format === "url") return linkTo(file, appUrl);
    const media = await openMedia(c.env.MEDIA, file.token, now);
    if (media === null) return portugueseFailure(c, "media_expired");
    const body = streamBase64Json(media.body, '{"data":{"base64":"', `","mimetype":${JSON.stringify(file.mimetype)}}}`);
    return c.body(body, 200, { ...INERT, "Content-Type": "application/json", "Cache-Control": "no-store" });
  },
});

export type Route = OperationRoute & { tag: string };

const OWN: Readonly<Record<string, readonly OperationRoute[]>> = { chats: [mediaRoute] };

export const FAMILIES: readonly Family<OperationRoute>[] = [
  ownNumber,
  ...familiesOf(VIEWS).map((family) => ({ ...family, routes: [...family.routes, ...(OWN[family.name] ?? [])] })),
  listenerFamily({
    name: "connection",
    readable: () => null,
    connectionOf: (context) => (context as KeyContext).key.connection,
    // No further checks are needed, because the object ends the stream when the key is revoked.
    guard: () => ({ right: null, expiresAt: null, stillAllowed: async () => true }),
    refuse: ({ c }, failure) => portugueseFailure(c, failure),
  }),
];

/** This API returns 200 even when something is created (docs/use/apis.md, "Response format"). */
export const ROUTES: readonly Route[] = FAMILIES.flatMap(({ name, routes }) =>
  routes.map((row) => ({ ...row, scope: scopeOf(row, name), status: 200, tag: name })),
);

/** A key without `manage` cannot connect or disconnect the number, and cannot see the code that links a phone. */
function scopeOf({ effect, scope, noStore }: OperationRoute, family: string): Scope {
  return family === ownNumber.name && (effect !== "read" || noStore) ? "manage" : scope;
}
