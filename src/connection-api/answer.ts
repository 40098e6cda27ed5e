// What the object answered, as Surface B says it.
import type { AppContext } from "../http/app-env.ts";
import { base64Json } from "../http/base64-stream.ts";
import { tellAnswer } from "../http/tell-answer.ts";
import { settingsOf } from "../env.ts";
import type { Answer } from "../protocol/connection.ts";
import { OPERATIONS } from "../protocol/operations.ts";
import { openMedia } from "../services/media/open.ts";
import { portugueseFailure } from "./failure.ts";
import type { KeptFile, Route } from "./route.ts";
import { ROUTES } from "./routes.ts";

export async function renderAnswer(c: AppContext, route: Route | null, answer: Answer): Promise<Response> {
  tellAnswer(c, answer);
  if (!answer.ok) return portugueseFailure(c, answer.failure);
  if (route === null) throw new Error("the object carried out a call without an operation");
  if (route.noStore) c.header("Cache-Control", "no-store");
  const output: unknown = OPERATIONS[route.operation].output.parse(JSON.parse(answer.json));
  const file = route.stream?.(output, c.req.query()) ?? null;
  if (file !== null) return contentOf(c, file);
  return c.json(route.render(output, { appUrl: settingsOf(c.env).APP_URL, routes: ROUTES }) as object);
}

/** `{ "data": { "base64", "mimetype" } }` of a file of any size. */
async function contentOf(c: AppContext, { token, mimetype }: KeptFile): Promise<Response> {
  const media = await openMedia(c.env.MEDIA, token, Date.now());
  if (media === null) return portugueseFailure(c, "media_expired");
  const body = base64Json(media.body, '{"data":{"base64":"', `","mimetype":${JSON.stringify(mimetype)}}}`);
  return c.body(body, 200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
}
