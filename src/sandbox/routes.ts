// `/sandbox/*` (docs/use/sandbox.md, "Sandbox routes"). Production builds do not contain these routes.
import { Hono } from "hono";
import type { z } from "zod";
import { type Env, settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { DISCARD_OF_STRANGERS, IncomingBody } from "../http/body/incoming-body.ts";
import { readJson } from "../http/body/read.ts";
import { englishFailure } from "../http/english-failure.ts";
import { ENGLISH_FIELDS } from "../http/field-errors.ts";
import { validationFailure } from "../http/read-request.ts";
import { runWatchdog } from "../services/watchdog/watch.ts";
import { connectionStub } from "../services/connections/stub.ts";
import { mapInBatches } from "../services/batches.ts";
import { listMail } from "./mail-store.ts";
import { isLoopback } from "./sandbox-env.ts";
import { applyMigrations } from "./migrate.ts";
import { SetupRequest, setUp } from "./setup.ts";
import { storageCounts } from "./storage-counts.ts";
import { sandboxToken, TokenRequest } from "./token.ts";

export function sandboxRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.use("*", async (c, next) => {
    c.var.facts.route = `/sandbox/${c.req.path.split("/")[2] ?? ""}`;
    // Protects against DNS rebinding, in which a web page points its host name at this machine.
    return isLoopback(new URL(c.req.url)) ? next() : englishFailure(c, "forbidden");
  });
  routes.post("/token", (c) => withFields(c, TokenRequest, async (fields) => c.json(await sandboxToken(c.env, fields, Date.now()))));
  routes.post("/setup", (c) => withFields(c, SetupRequest, async (fields) => c.json({ data: await setUp(c.env, fields, Date.now()) })));
  routes.post("/migrate", async (c) => {
    // Invalid settings fail the first request, and the log names them.
    settingsOf(c.env);
    return c.json({ data: await applyMigrations(c.env) });
  });
  routes.post("/watchdog", async (c) => {
    await runWatchdog(c.env, Date.now());
    return c.json({ data: {} });
  });
  routes.post("/statistics", async (c) => {
    await pushAllStatistics(c.env);
    return c.json({ data: {} });
  });
  routes.get("/storage", (c) => c.json({ data: storageCounts() }));
  routes.get("/mail", async (c) => c.json({ data: await listMail(c.env.DB) }));
  routes.all("*", (c) => englishFailure(c, "route_not_found"));
  routes.onError((_, c) => englishFailure(c, "internal_error"));
  return routes;
}

const STATISTICS_CONCURRENCY = 20;

/** Throws when a connection fails to push. */
async function pushAllStatistics(env: Env): Promise<void> {
  const { results } = await env.DB.prepare("SELECT uuid FROM connection WHERE removed_at IS NULL").all<{ uuid: string }>();
  await mapInBatches(results, STATISTICS_CONCURRENCY, ({ uuid }) => connectionStub(env, uuid).pushStatistics());
}

const BODY_BYTES = 64 * 1024;

/** Requires a JSON content type, which a web page cannot send to another origin without a preflight. */
async function withFields<S extends z.ZodType>(
  c: AppContext,
  schema: S,
  act: (fields: z.output<S>) => Promise<Response>,
): Promise<Response> {
  const { halfCharacter } = ENGLISH_FIELDS;
  const rules = { limitBytes: BODY_BYTES, files: 0, discard: DISCARD_OF_STRANGERS, halfCharacter };
  const json = await readJson(new IncomingBody(c.req.raw), rules);
  if (!json.ok) return englishFailure(c, json.failure);
  const fields = schema.safeParse(json.value);
  return fields.success ? act(fields.data) : englishFailure(c, validationFailure(fields.error.issues));
}
