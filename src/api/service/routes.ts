// Health, readiness and the OpenAPI document. Public.
import { z } from "@hono/zod-openapi";
import { checkParts } from "../../services/health/check.ts";
import { settingsOf } from "../../env.ts";
import { accountDocument } from "../docs/account/document.ts";
import { type AccountRow, type Family, type PublicRoute, route } from "../route.ts";

import { iso } from "../account/fields.ts";

/** The interface's version, as the machine-readable description carries it (docs/use/apis.md, "Versions"). */
const VERSION = "1.0";

const healthRoutes = (families: () => readonly Family<AccountRow>[]) => [
  route({
    isPublic: true,
    name: "getHealth",
    effect: "read",
    method: "get",
    path: "/health",
    summary: "Whether the service is up",
    response: z.object({ status: z.literal("ok"), version: z.string(), time: iso }).openapi("Health"),
    answer: (c) => c.json({ status: "ok", version: VERSION, time: new Date().toISOString() }),
  }),
  route({
    isPublic: true,
    name: "getReadiness",
    effect: "read",
    method: "get",
    path: "/health/ready",
    summary: "Whether everything that requests need is there; 503 when something is missing",
    description: "Answers 503 with the same body while something is missing.",
    otherStatus: 503,
    response: z
      .object({
        status: z.enum(["ok", "unavailable"]),
        checks: z.object({ d1: z.boolean(), durable_objects: z.boolean(), bridge: z.boolean() }),
      })
      .openapi("Readiness"),
    answer: async (c) => {
      const checks = await checkParts(c.env, Date.now());
      const isReady = Object.values(checks).every(Boolean);
      return c.json({ status: isReady ? "ok" : "unavailable", checks }, isReady ? 200 : 503, { "Cache-Control": "no-store" });
    },
  }),
  route({
    isPublic: true,
    name: "getApiDescription",
    effect: "read",
    method: "get",
    path: "/openapi.json",
    summary: "This description of the Account API, OpenAPI 3.1",
    description: "This very description.",
    response: z.looseObject({ openapi: z.literal("3.1.0") }).openapi("OpenApi"),
    // API explorers fetch the description from another origin.
    answer: (c) =>
      c.json(accountDocument(settingsOf(c.env).BASE_URL, families()), 200, {
        "Cache-Control": "public, max-age=300",
        "Access-Control-Allow-Origin": "*",
      }),
  }),
];

export const service = (families: () => readonly Family<AccountRow>[]): Family<PublicRoute> => ({
  name: "service",
  title: "Service",
  description: "Whether the service is up, and this description. Open to whoever asks.",
  routes: healthRoutes(families),
});
