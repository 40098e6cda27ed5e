// Answers of the connection's object, rendered for the Connection API.
import { settingsOf } from "../../env.ts";
import { setAnswerHeaders } from "../../http/answer-headers.ts";
import type { AppContext } from "../../http/app-env.ts";
import { streamBase64Json } from "../../http/base64-stream.ts";
import { INERT } from "../../http/file-headers.ts";
import type { Answer } from "@gateway/protocol/connection.ts";
import { outputOf } from "@gateway/protocol/operations.ts";
import type { StoredFile } from "../route.ts";
import { openMedia } from "../../services/media/open.ts";
import { portugueseFailure } from "./failure.ts";
import { RenderedAnswers } from "./rendered-answers.ts";
import { type Route, ROUTES } from "./routes.ts";

export async function renderAnswer(c: AppContext, route: Route | null, answer: Answer): Promise<Response> {
  setAnswerHeaders(c, answer);
  if (!answer.ok) return portugueseFailure(c, answer.failure);
  if (route === null) throw new Error("the object carried out a call without an operation");
  if (route.noStore) c.header("Cache-Control", "no-store");
  const { APP_URL } = settingsOf(c.env);
  const output = (): unknown => outputOf(route.operation, answer.json);
  const render = (value: unknown) => JSON.stringify(route.render(value, { appUrl: APP_URL, routes: ROUTES }));
  // One that is fresh may never be asked for again.
  if (answer.age !== undefined) {
    const text = rendered.get(route, answer.json, Date.now(), () => render(output()));
    return c.body(text, 200, JSON_TYPE);
  }
  const result = output();
  const accepted = route.accepted?.of(result) ?? null;
  if (accepted !== null) return c.json(accepted, 202);
  const file = route.stream?.(result, c.req.query()) ?? null;
  return file === null ? c.body(render(result), 200, JSON_TYPE) : contentOf(c, file);
}

/** One per isolate, which serves one deployment. */
const rendered = new RenderedAnswers();
const JSON_TYPE = { "Content-Type": "application/json" };

/** `{ "data": { "base64", "mimetype" } }` of a file of any size. */
async function contentOf(c: AppContext, { token, mimetype }: StoredFile): Promise<Response> {
  const media = await openMedia(c.env.MEDIA, token, Date.now());
  if (media === null) return portugueseFailure(c, "media_expired");
  const body = streamBase64Json(media.body, '{"data":{"base64":"', `","mimetype":${JSON.stringify(mimetype)}}}`);
  return c.body(body, 200, { ...INERT, ...JSON_TYPE, "Cache-Control": "no-store" });
}
