// One D1 statement in ten fails, in the worker and in every object: no API, dashboard or administration route returns 500.
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { accountDocument } from "#root/src/api/docs/account/document.ts";
import { FAMILIES } from "#root/src/api/account/routes.ts";
import { DASHBOARD_ROUTES } from "#root/src/api/dashboard.ts";
import { exampleRequest } from "#root/src/http/openapi/requests.ts";
import type { Operation } from "#root/src/http/openapi/shape.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { madeProxy } from "../proxies/world.ts";
import { holder, instanceOf } from "../support/accounts.ts";
import { failEverywhere, oneIn } from "../support/failing-database.ts";
import { freshAddress, gateway } from "../support/gateway.ts";
import { TABLE } from "../security/world.ts";

const ROUNDS = 3;

const document = accountDocument("https://api.example.com", FAMILIES);

/** Bodies for dashboard routes that change D1. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /connections": { name: "Loja" },
  "PATCH /connections/{id}": { name: "Nova" },
  "PATCH /me": { name: "Ana" },
  "POST /account-keys": { name: "Sistema" },
  "POST /connections/{id}/keys": { name: "Sistema" },
  "PUT /connections/{id}/webhook": { url: "https://hooks.example.com/" },
  "POST /connections/{id}/shares": { email: "guest@example.com", role: "operator" },
  "POST /connections/{id}/pairing-links": { label: "Ana" },
  "POST /admin/users": { email: "new@example.com", name: "New", role: "user", reason: "Test" },
  "PATCH /admin/users/{user_id}": { name: "Nova", reason: "Test" },
  "POST /admin/users/{user_id}/suspend": { reason: "Test" },
  "POST /admin/users/{user_id}/activate": { reason: "Test" },
  "PUT /admin/users/{user_id}/subscription": { plan: "a", status: "active", max_instances: 3, current_period_end: null, reason: "Test" },
  "PATCH /admin/proxies/{proxy_id}": { is_active: true, reason: "Test" },
  "PUT /admin/client-version": { version: null, max: null, reason: "Test" },
};

afterEach(() => void vi.restoreAllMocks());

type Sent = { name: string; method: string; path: string; headers: Record<string, string>; body?: string };

const streams = ({ responses }: Operation) => responses["200"]?.content?.["text/event-stream"] !== undefined;

it("no route answers 500 while one D1 statement in ten fails", { timeout: 600_000 }, async () => {
  const ask = gateway();
  const counts = new Map<number, number>();
  const broken: string[] = [];
  let statements = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { call, key, keyId, who } = await holder();
    await setRole(env.DB, who.user.id, "admin");
    const [{ id: instanceId }, { id: proxyId }, other] = [await instanceOf(call), await madeProxy(call), await holder()];
    const { id } = ((await (await ask("/api/dashboard/connections", { headers: who.headers })).json()) as { data: { id: number }[] })
      .data[0]!;
    const made = await ask(`/api/dashboard/connections/${id}/keys`, { method: "POST", headers: who.headers, body: '{"name":"A"}' });
    const connectionKey = ((await made.json()) as { data: { key: string } }).data.key;
    const webhook = await call("POST", "/webhooks", { url: "https://hooks.example.com/", events: ["message.received"] });
    const own: Record<string, string> = {
      keyId,
      instanceId: instanceId as string,
      proxyId,
      userId: other.who.user.id,
      webhookId: webhook.body.data.id as string,
      id: String(id),
      instance_id: instanceId as string,
      proxy_id: proxyId,
      user_id: other.who.user.id,
    };
    const filled = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => own[name] ?? "1");
    const json = { "content-type": "application/json" };
    const account = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, operation]) => !streams(operation))
        .map(([method, operation]): Sent => {
          const { body } = exampleRequest(method, path, operation);
          const headers = { ...json, "x-api-key": key };
          return { name: `${method} ${path}`, method: method.toUpperCase(), path: filled(path), headers, ...textOf(body) };
        }),
    );
    const connection = TABLE.map(({ name, method, path, init }): Sent => ({
      name,
      method,
      path,
      headers: { ...json, "x-api-key": connectionKey },
      ...textOf(init.body),
    }));
    const dashboard = DASHBOARD_ROUTES.filter(({ name }) => !name.endsWith("stream")).map(({ name }): Sent => {
      const [method = "", path = ""] = name.split(" ");
      const body = method === "GET" ? undefined : (BODIES[name] ?? {});
      return { name: `dashboard ${name}`, method, path: `/api/dashboard${filled(path)}`, headers: who.headers, ...textOf(body) };
    });
    // Run last: deletions leave later requests without a target, and a connecting number makes sends wait for a bridge that never comes.
    const ends = ({ method, name }: Sent) => method === "DELETE" || /\/(connect|restart|pairing-code|me\/delete|logout)$/.test(name);
    const all = [...account, ...connection, ...dashboard].filter(({ name }) => !name.includes("/openapi"));
    const fault = oneIn(10);
    const outage = failEverywhere((sql) => {
      statements += 1;
      return fault(sql);
    });
    try {
      for (const { name, method, path, headers, body } of [...all.filter((sent) => !ends(sent)), ...all.filter(ends)]) {
        const request = { method, headers: { ...headers, "cf-connecting-ip": freshAddress() } };

        const answer = await ask(path, method === "GET" || body === undefined ? request : { ...request, body });
        await answer.body?.cancel();
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        if (answer.status === 500) broken.push(name);
      }
    } finally {
      outage.end();
    }
  }
  const shown = [...counts].toSorted(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
  console.log(`one statement in ten fails, ${statements} statements: ${shown.join(", ")}`);
  expect(broken).toEqual([]);
  expect(counts.get(503)).toBeGreaterThan(0);
  expect(counts.get(200)).toBeGreaterThan(0);
});

function textOf(body: unknown): { body?: string } {
  return body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
}
