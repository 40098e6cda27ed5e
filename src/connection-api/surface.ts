// Surface B: every route of the table, each through exactly one call of the connection's object.
import { Hono } from "hono";
import { settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { honoPath, literalFirst } from "../http/path-pattern.ts";
import { takingFiles } from "../http/taking-files.ts";
import { ask } from "../services/connections/ask.ts";
import { renderAnswer } from "./answer.ts";
import { knownKey } from "./credential.ts";
import { portugueseFailure } from "./failure.ts";
import { readRequest } from "./read-request.ts";
import { refuseKey } from "./refuse-key.ts";
import type { Route } from "./route.ts";
import { ROUTES } from "./routes.ts";

export const CONNECTION_API = "/api/v1";

export function connectionApi(): Hono<AppEnv> {
  const surface = new Hono<AppEnv>();
  for (const row of literalFirst(ROUTES)) surface.on(row.method.toUpperCase(), honoPath(row.path), (c) => answerRoute(c, row));
  // Interface, Surface B authentication 11: an unknown route is told apart only with a valid key.
  surface.all("*", (c) => answerRoute(c, null));
  surface.onError((_, c) => portugueseFailure(c, "internal_error"));
  return surface;
}

async function answerRoute(c: AppContext, row: Route | null): Promise<Response> {
  const { facts } = c.var;
  facts.route = row === null ? `${CONNECTION_API}/*` : CONNECTION_API + row.path;
  const key = knownKey(settingsOf(c.env).KEY_SECRET, c.req.raw.headers);
  if (key === null) return refuseKey(c);
  facts.connection = key.connection;
  if (row !== null) facts.operation = row.operation;
  const { call, files } = await readRequest(c, row, key.caller);
  const answer = await ask(c.env, key.connection, call, files.storing(takingFiles(c, key.connection)));
  if (!answer.ok && answer.failure.code === "unauthorized") return refuseKey(c);
  return renderAnswer(c, row, answer);
}
