import { env } from "cloudflare:workers";
import { type Handler, Hono } from "hono";
import { afterEach, describe, expect, it } from "vitest";
import { RenderedResponses, serve } from "#root/src/api/serve.ts";
import { ROUTES } from "#root/src/api/connection/routes.ts";
import type { ServedRoute } from "#root/src/api/route.ts";
import type { AppContext, AppEnv } from "#root/src/http/app-env.ts";
import { ENGLISH_FIELDS } from "#root/src/http/field-errors.ts";
import { readRequest } from "#root/src/http/read-request.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";

afterEach(() => allEnded());

const [one, other] = ROUTES;
if (one === undefined || other === undefined) throw new Error("there are no routes");
const NOW = Date.UTC(2030, 0, 1);

function counted() {
  let count = 0;
  return () => `rendered ${(count += 1)}`;
}

describe("a rendered response", () => {
  it("is created once per route and content", () => {
    const [texts, render] = [new RenderedResponses(), counted()];
    expect(texts.get(one, "[]", NOW, render)).toBe("rendered 1");
    expect(texts.get(one, "[]", NOW + 1, render)).toBe("rendered 1");
    expect(texts.get(other, "[]", NOW + 1, render)).toBe("rendered 2");
    expect(texts.get(one, "[1]", NOW + 1, render)).toBe("rendered 3");
  });

  it("is never older than the read cache, because its links may expire", () => {
    const [texts, render] = [new RenderedResponses(), counted()];
    texts.get(one, "[]", NOW, render);
    expect(texts.get(one, "[]", NOW + 9_999, render)).toBe("rendered 1");
    expect(texts.get(one, "[]", NOW + 10_000, render)).toBe("rendered 2");
  });

  it("is evicted when the cache is full", () => {
    const [texts, render] = [new RenderedResponses(), counted()];
    texts.get(one, "[]", NOW, render);
    texts.get(one, "x".repeat(2_500_000), NOW, render);
    texts.get(one, "y".repeat(2_500_000), NOW, render);
    expect(texts.get(one, "[]", NOW, render)).toBe("rendered 4");
  });
});

it("two APIs with the same route name keep separate responses", async () => {
  const connection = await TestConnection.create();
  const api = (prefix: string): Handler<AppEnv> =>
    serve<{ c: AppContext }, ServedRoute<{ c: AppContext }>>({
      prefix,
      routes: [
        {
          kind: "operation",
          name: "getStatus",
          method: "get",
          path: "/status",
          operation: "instance.get",
          mutating: false,
          counted: false,
          cached: true,
          status: 200,
          params: null,
          query: null,
          body: null,
          input: () => ({}),
          render: () => prefix,
        } as unknown as ServedRoute<{ c: AppContext }>,
      ],
      authenticate: async (c) => ({ ok: true, context: { c } }),
      authorize: () => null,
      read: ({ c }, row, body, params) => readRequest(c, row, body, ENGLISH_FIELDS, params),
      calleeOf: () => ({ connection: connection.uuid, caller: { kind: "account", subject: "owner", role: "owner" } }),
      validatesFirst: false,
      screensLongBodies: false,
      noteResult: () => undefined,
      refuse: (c, { code }) => c.text(code, 500),
      refuseUnmatched: async (c) => c.notFound(),
      admit: (_context, _row, _request, run) => run(),
    });
  const app = new Hono<AppEnv>()
    .use(async (c, next) => {
      c.set("facts", {});
      c.set("requestId", "test");
      await next();
    })
    .all("/one/*", api("/one"))
    .all("/two/*", api("/two"));
  const read = async (path: string) => (await app.request(path, {}, env)).text();
  await read("/one/status");
  expect([await read("/one/status"), await read("/two/status")]).toEqual([JSON.stringify("/one"), JSON.stringify("/two")]);
});
