import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { API_VERSION } from "@gateway/domain/product.ts";
import { checkParts } from "#root/src/services/health/check.ts";
import { configurationProblems } from "#root/src/env.ts";
import { documentFile, servePrepared } from "#root/src/http/openapi/prepared.ts";
import { type Family, type PublicRoute, route } from "../route.ts";
import { iso } from "../account/fields.ts";

const healthRoutes = [
  route({
    isPublic: true,
    name: "getHealth",
    effect: "read",
    method: "get",
    path: "/health",
    summary: documented({ en: "Whether the service is up", pt: "Se o serviço está no ar" }),
    description: documented({
      en: "Returns 503 with the same body while a setting or a binding of the deployment is missing or wrong; `problems` names it.",
      pt: "Responde 503 com o mesmo corpo se uma configuração ou um binding da instalação falta ou está errado; `problems` diz qual.",
    }),
    otherStatus: 503,
    response: z
      .object({
        status: z.enum(["ok", "misconfigured"]),
        version: z.string(),
        time: iso,
        problems: z.array(z.object({ name: z.string(), problem: z.string() })).optional(),
      })
      .openapi("Health"),
    respond: (c) => {
      const problems = configurationProblems(c.env);
      const now = { version: API_VERSION, time: new Date().toISOString() };
      if (problems.length === 0) return c.json({ status: "ok", ...now });
      return c.json({ status: "misconfigured", ...now, problems }, 503, { "Cache-Control": "no-store" });
    },
  }),
  route({
    isPublic: true,
    name: "getReadiness",
    effect: "read",
    method: "get",
    path: "/health/ready",
    summary: documented({
      en: "Whether all dependencies are available; 503 if one is missing",
      pt: "Se todas as dependências estão disponíveis; 503 se alguma não está",
    }),
    description: documented({
      en: "Returns 503 with the same body while a dependency is missing.",
      pt: "Responde 503 com o mesmo corpo se alguma dependência está indisponível.",
    }),
    otherStatus: 503,
    response: z
      .object({
        status: z.enum(["ok", "unavailable"]),
        checks: z.object({ d1: z.boolean(), migrations: z.boolean(), durable_objects: z.boolean(), bridge: z.boolean() }),
      })
      .openapi("Readiness"),
    respond: async (c) => {
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
    summary: documented({ en: "This description of the Account API, OpenAPI 3.1", pt: "Esta descrição da API da conta, OpenAPI 3.1" }),
    description: documented({ en: "This document.", pt: "Este documento." }),
    response: z.looseObject({ openapi: z.literal("3.1.0") }).openapi("OpenApi"),
    // API explorers on other origins fetch the description, so any origin is allowed.
    respond: (c) => {
      c.header("Access-Control-Allow-Origin", "*");
      return servePrepared(c, documentFile("account", "en"), "application/json");
    },
  }),
];

export const service: Family<PublicRoute> = {
  name: "service",
  title: documented({ en: "Service", pt: "Serviço" }),
  description: documented({
    en: "The state of the service, and this document. No authentication needed.",
    pt: "O status do serviço e este documento. Sem autenticação.",
  }),
  routes: healthRoutes,
};
