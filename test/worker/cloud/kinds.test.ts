// Features that a kind of connection lacks: both APIs refuse each such route and field before anything is stored, fetched or requested.
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { accountDocument } from "#root/src/api/docs/account/document.ts";
import { FAMILIES, ROUTES as ACCOUNT_ROUTES } from "#root/src/api/account/routes.ts";
import { connectionDocument } from "#root/src/api/docs/connection/document.ts";
import { ROUTES as CONNECTION_ROUTES } from "#root/src/api/connection/routes.ts";
import { makeKey } from "@gateway/domain/keys/api-key.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { exampleRequests } from "#root/src/http/openapi/requests.ts";
import type { OpenApiDocument } from "#root/src/http/openapi/shape.ts";
import type { FieldRules, ConnectionKind } from "@gateway/protocol/operations.ts";
import { callOperation } from "#root/src/services/connections/call.ts";
import { connectionStub } from "#root/src/services/connections/stub.ts";
import { holder } from "../support/accounts.ts";
import { APP, freshAddress, gateway } from "../support/gateway.ts";
import { storedIn } from "../support/stored.ts";
import { type FakeGraph, fakeGraph } from "./fake-graph.ts";

type Row = { name: string; path: string; kinds: readonly ConnectionKind[]; fields: FieldRules };
type Asked = { name: string; method: string; path: string; body: unknown };
type Refusal = { code: string; details: Record<string, unknown> };

/** Tables that the object writes on every call, even a refused one. */
const OF_EVERY_CALL = ["api_key", "repeated_read", "request_log"];

/** A value that makes use of each field. */
const USED: Readonly<Record<string, unknown>> = {
  mentions: ["5511900000003"],
  mention_all: true,
  view_once: true,
  as_note: true,
  as_gif: true,
  preview: { url: "https://shop.example.com/", title: "Shop" },
  typing_ms: 500,
  message_id: "A".repeat(20),
  force_new_pairing: true,
};
/** The refused values of fields for which only some values are refused. */
const PARTLY: Readonly<Record<string, Record<string, unknown>>> = {
  state: { state: "recording" },
  chat_id: { chat_id: "120363041234567891@newsletter", to: undefined },
};

function requestsOf(document: OpenApiDocument): Map<string, Omit<Asked, "name">> {
  return new Map(exampleRequests(document).map(({ operationId, method, path, body }) => [operationId, { method, path, body }]));
}

const SURFACES = {
  account: {
    document: accountDocument("https://api.example.com", FAMILIES),
    rows: ACCOUNT_ROUTES.flatMap((row): Row[] => (row.kind === "operation" ? [row] : [])),
    capabilities: "/api/instances/{instanceId}/capabilities",
    code: "not_supported",
    refusal: ({ error }: any): Refusal => ({ code: error.code, details: error.details }),
    field: "field",
  },
  connection: {
    document: connectionDocument(APP),
    rows: CONNECTION_ROUTES as readonly Row[],
    capabilities: "/api/v1/instance/capabilities",
    code: "nao_suportado",
    refusal: ({ error }: any): Refusal => ({ code: error.codigo, details: error.detalhes }),
    field: "campo",
  },
};

let graph: FakeGraph;
let instance: string;
const keys = { account: "", connection: "" };
const ask = gateway();

beforeAll(async () => {
  graph = fakeGraph();
  const { call, key } = await holder();
  const made = await call("POST", "/instances", { name: "Loja", kind: "cloud_api", cloud_api: graph.credentials() });
  expect(made.status).toBe(201);
  instance = made.body.data.id;
  keys.account = key;
  const own = makeKey(settingsOf(env as Env).KEY_SECRET, instance, crypto.getRandomValues(new Uint8Array(15)));
  const caller = { subject: "test", role: "owner", requestId: "test", mutating: true } as const;
  await callOperation(env as Env, instance, caller, "keys.create", { name: "test", prefix: own.prefix, hash: own.hash });
  keys.connection = own.key;
});
afterAll(() => graph.restore());

describe.each(Object.entries(SURFACES))(
  "the %s API, on a number of the Cloud API,",
  (api, { document, rows, capabilities, ...surface }) => {
    const requests = requestsOf(document);
    const requestOf = ({ name }: Row): Asked => {
      const request = requests.get(name);
      if (request === undefined) throw new Error(`${name} has no example`);
      return { name, ...request };
    };

    async function send({ method, path, body }: Omit<Asked, "name">): Promise<{ status: number; body: any }> {
      const there = path.replace(/^\/api\/instances\/[^/]+/, `/api/instances/${instance}`);
      const answer = await ask(there, {
        method,
        headers: { "x-api-key": keys[api as keyof typeof keys], "content-type": "application/json", "cf-connecting-ip": freshAddress() },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    }

    /** Runs the requests, then checks that nothing was stored, fetched or requested beyond the records of every call. */
    async function untouched<T>(run: () => Promise<T>): Promise<T> {
      const state = async () => {
        const stored = (await storedIn(connectionStub(env as Env, instance) as never)).split("\n\n");
        const kept = stored.filter((table) => !OF_EVERY_CALL.some((name) => table.startsWith(`${name}: `)));
        return { kept, files: (await env.MEDIA.list()).objects.length, fetched: vi.mocked(fetch).mock.calls.length };
      };
      const before = await state();
      const result = await run();
      expect(await state()).toEqual(before);
      return result;
    }

    it("refuses every route that the kind lacks, and stores and requests nothing", { timeout: 120_000 }, async () => {
      const refused = rows.filter(({ kinds }) => !kinds.includes("cloud_api")).map(requestOf);
      expect(refused.length).toBeGreaterThan(50);
      const answers = await untouched(async () => {
        const seen: unknown[] = [];
        for (const request of refused) {
          const { status, body } = await send(request);
          seen.push([request.name, status, status === 501 ? surface.refusal(body) : body]);
        }
        return seen;
      });
      expect(answers).toMatchObject(refused.map(({ name }) => [name, 501, { code: surface.code, details: { kind: "cloud_api" } }]));
    });

    it("refuses every field that the kind lacks, and stores and requests nothing", { timeout: 120_000 }, async () => {
      const asked = rows
        .filter(({ kinds, fields }) => kinds.includes("cloud_api") && Object.keys(fields).length > 0)
        .flatMap((row) => {
          const { body, ...request } = requestOf(row);
          return Object.entries(row.fields)
            .filter(([, rule]) => !rule.kinds.includes("cloud_api") && rule.code === undefined)
            .map(([field]) => ({ ...request, field, body: { ...(body as object), ...(PARTLY[field] ?? { [field]: USED[field] }) } }));
        });
      expect(asked.filter(({ field }) => USED[field] === undefined && PARTLY[field] === undefined)).toEqual([]);
      expect(asked.length).toBeGreaterThan(40);
      const answers = await untouched(async () => {
        const seen: unknown[] = [];
        for (const request of asked) {
          const { status, body } = await send(request);
          seen.push([request.name, request.field, status, status === 501 ? surface.refusal(body) : body]);
        }
        return seen;
      });
      expect(answers).toEqual(
        asked.map(({ name, field }) => [name, field, 501, { code: surface.code, details: { kind: "cloud_api", [surface.field]: field } }]),
      );
    });

    it("reports what the kind lacks in its capabilities", async () => {
      const { body } = await send({ method: "GET", path: capabilities, body: undefined });
      const said = body.data.routes as {
        method: string;
        path: string;
        supported: boolean;
        reason: string | null;
        unsupported_fields: string[];
      }[];
      const done = rows.flatMap((row) => {
        // The instance itself exists, so its own route is not tested.
        if (row.path === "/instances/{instanceId}") return [];
        const { method } = requestOf(row);
        const supported = row.kinds.includes("cloud_api");
        const never = Object.entries(row.fields).filter(([, rule]) => !rule.kinds.includes("cloud_api") && rule.partly !== true);
        return {
          method,
          supported,
          reason: supported ? null : surface.code,
          unsupported_fields: supported ? never.map(([field]) => field) : [],
        };
      });
      expect(said.map(({ path: _, ...route }) => route)).toEqual(done);
      expect(body.data).toMatchObject({
        kind: "cloud_api",
        limits: { cloud_text_characters: 4_096, cloud_image_bytes: 5_242_880, text_characters: 65_536 },
      });
    });

    it("creates only groups without participants", async () => {
      const group = { subject: "Equipe", participants: ["5511900000003"] };
      const path = capabilities.replace(/(instance\/)?capabilities$/, "groups");
      const { status, body } = await untouched(() => send({ method: "POST", path, body: group }));
      expect([status, surface.refusal(body).details]).toEqual([422, { kind: "cloud_api", [surface.field]: "participants" }]);
    });
  },
);
