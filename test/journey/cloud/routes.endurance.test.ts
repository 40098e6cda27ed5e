// Every route of both APIs on a Cloud API number. `capabilities` is accurate, and refused calls make no Graph request.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleRequest } from "#root/src/http/openapi/requests.ts";
import type { OpenApiDocument } from "#root/src/http/openapi/shape.ts";
import { ask, phones } from "../../support/clients.ts";
import { type CloudNumber, connectCloudNumber } from "../../support/cloud/numbers.ts";
import { eventually } from "../../support/eventually.ts";
import { ok } from "../../support/replies.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const [STORE, ANA] = ["5511900000611", "5511900000612"] as const;
const WITHIN_MS = 60_000;

type Said = { method: string; path: string; supported: boolean; reason: string | null; unsupported_fields: string[] };
type Answer = { status: number; code: string | null; details: Record<string, unknown> };
type Api = {
  document: () => string;
  base: () => string;
  /** Prefix of the number's paths. */
  prefix: string;
  credential: () => string;
  code: string;
  field: string;
};

let sandbox: SharedSandbox;
let number: CloudNumber;

beforeAll(async () => {
  sandbox = await borrowSandbox();
  const ready = sandbox.ready();
  await phones(ready).create(ANA, "Ana");
  number = await connectCloudNumber(ready, { phone: STORE, name: "Loja" });
  await phones(ready).send(ANA, { to: STORE, text: "hello" });
  await eventually("the chat", WITHIN_MS, async () => (await number.api.get(`/chats/${ANA}@c.us`)).status === 200);
});
afterAll(() => sandbox.dispose());

const APIS: Readonly<Record<string, Api>> = {
  Account: {
    document: () => `${sandbox.ready().base_url}/docs/account.json`,
    base: () => sandbox.ready().base_url,
    prefix: "/api/instances/{instanceId}",
    credential: () => sandbox.ready().demo.api_key,
    code: "not_supported",
    field: "field",
  },
  Connection: {
    document: () => `${sandbox.ready().app_url}/docs/connection.json`,
    base: () => sandbox.ready().app_url,
    prefix: "/api/v1",
    credential: () => number.key,
    code: "nao_suportado",
    field: "campo",
  },
};

/** Number of Graph requests about the number so far. */
async function requests(): Promise<number> {
  const query = `phone_number_id=${number.credentials.phone_number_id}&limit=20000`;
  return (await ok<{ data: unknown[] }>(phones(sandbox.ready()).call("GET", `/cloud/requests?${query}`))).data.length;
}

/** The number's stored data as its owner reads it. */
async function stored(): Promise<unknown> {
  const chat = `/chats/${ANA}@c.us`;
  const paths = ["/chats", chat, `${chat}/messages`, "/contacts", "/messages", "/calls"];
  return Promise.all(paths.map(async (path) => (await number.api.get(path)).body));
}

/** Calls that start or end the connection come last. */
const rank = ({ path }: { path: string }): number => (/\/(connect|disconnect|restart)$/.test(path) ? 1 : 0);

describe.each(Object.entries(APIS))("the %s API", (_, { document, base, prefix, credential, code, field }) => {
  let served: OpenApiDocument;
  let said: readonly Said[];

  async function request({ method, path }: Said, change: Record<string, unknown> = {}): Promise<Answer> {
    const operation = served.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`${method} ${path} is not in the document`);
    const example = exampleRequest(method, path, operation);
    const there = example.path.replace(/^\/api\/instances\/[^/]+/, `/api/instances/${number.instance}`);
    const json = example.body === undefined ? undefined : { ...(example.body as object), ...change };
    const headers = { "x-api-key": credential() };
    if (operation.responses["200"]?.content?.["text/event-stream"] !== undefined) {
      const stream = await fetch(base() + there, { method, headers });
      await stream.body?.cancel();
      return { status: stream.status, code: null, details: {} };
    }
    const { status, body } = await ask(base() + there, { method, headers, ...(json === undefined ? {} : { json }) });
    const error = (body as { error?: Record<string, unknown> } | null)?.error ?? {};
    return {
      status,
      code: (error["code"] ?? error["codigo"] ?? null) as string | null,
      details: (error["details"] ?? error["detalhes"] ?? {}) as Record<string, unknown>,
    };
  }

  beforeAll(async () => {
    served = (await ask<OpenApiDocument>(document())).body;
    const url = `${base()}${prefix}${prefix === "/api/v1" ? "/instance" : ""}/capabilities`.replace("{instanceId}", number.instance);
    said = (await ask<{ data: { routes: Said[] } }>(url, { headers: { "x-api-key": credential() } })).body.data.routes;
  });

  it("refuses unsupported routes with 501, stores nothing, and makes no Graph request", async () => {
    const refused = said.filter(({ supported }) => !supported);
    expect(refused.length).toBeGreaterThan(50);
    const before = [await requests(), await stored()];
    const answers: unknown[] = [];
    for (const route of refused) answers.push([route.method, route.path, await request(route)]);
    expect(answers).toMatchObject(refused.map(({ method, path }) => [method, path, { status: 501, code, details: { kind: "cloud_api" } }]));
    expect([await requests(), await stored()]).toEqual(before);
  });

  it("refuses unsupported fields with 501, stores nothing, and makes no Graph request", async () => {
    const values: Readonly<Record<string, unknown>> = {
      mentions: [ANA],
      mention_all: true,
      view_once: true,
      as_note: true,
      as_gif: true,
      preview: { url: "https://shop.example.com/", title: "Shop" },
      typing_ms: 500,
      message_id: "A".repeat(20),
      force_new_pairing: true,
    };
    const sends = said.flatMap((route) =>
      route.unsupported_fields.filter((name) => name !== "participants").map((name) => ({ route, name })),
    );
    expect(sends.filter(({ name }) => values[name] === undefined)).toEqual([]);
    expect(new Set(sends.map(({ name }) => name)).size).toBeGreaterThanOrEqual(8);
    const before = [await requests(), await stored()];
    const answers: unknown[] = [];
    for (const { route, name } of sends) answers.push([route.path, name, await request(route, { [name]: values[name] })]);
    expect(answers).toMatchObject(
      sends.map(({ route, name }) => [route.path, name, { status: 501, code, details: { kind: "cloud_api", [field]: name } }]),
    );
    expect([await requests(), await stored()]).toEqual(before);
  });

  it("never refuses a supported call as unsupported", async () => {
    const supported = said.filter((route) => route.supported).toSorted((one, other) => rank(one) - rank(other));
    expect(supported.length).toBeGreaterThan(50);
    const answers: [string, string, Answer][] = [];
    for (const route of supported) answers.push([route.method, route.path, await request(route)]);
    expect(answers.filter(([, , answer]) => answer.status === 501 || answer.status === 500)).toEqual([]);
  });
});
