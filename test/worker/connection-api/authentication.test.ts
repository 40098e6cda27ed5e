import { describe, expect, it } from "vitest";
import { type ErrorBody, freshAddress, freshKey, gateway, scriptedConnections } from "../support/gateway.ts";

const done = () => ({ ok: true, json: "{}" }) as const;
const restart = "/api/v1/instance/restart";

function asked() {
  const objects = scriptedConnections(done);
  return { ...objects, ask: gateway(objects), headers: { "cf-connecting-ip": freshAddress() } };
}

describe("the key of a request", () => {
  it("is taken from X-Api-Key or from a bearer token, and routes to its own connection", async () => {
    const { key, connection, hash } = freshKey();
    for (const header of [
      { "X-Api-Key": key },
      { Authorization: `Bearer ${key}` },
      { authorization: `bearer   ${key}  ` },
      { "x-api-key": ` ${key}\t ` },
    ]) {
      const { ask, calls, names } = asked();
      const answer = await ask(restart, { method: "POST", headers: header as Record<string, string> });
      expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
      expect(names).toEqual([connection]);
      expect(calls[0]?.caller).toEqual({ kind: "connection_key", hash, scope: "manage" });
    }
  });

  it("is taken from X-Api-Key when both headers are present, even if it is invalid", async () => {
    const { ask, headers, names } = asked();
    const good = freshKey().key;
    for (const bad of ["", "nope", freshKey().key.replace(/.$/, "!")]) {
      const answer = await ask(restart, { method: "POST", headers: { ...headers, "X-Api-Key": bad, Authorization: `Bearer ${good}` } });
      expect(answer.status).toBe(401);
    }
    expect((await ask(restart, { method: "POST", headers: { "X-Api-Key": good, Authorization: "Bearer nope" } })).status).toBe(200);
    expect(names).toHaveLength(1);
  });

  it("gets the identical 401 whether missing, malformed, invented or revoked", async () => {
    const revoked = scriptedConnections(() => ({ ok: false, failure: { code: "unauthorized" } }));
    const ask = gateway(revoked);
    const { key } = freshKey();
    const bodies = new Set<string>();
    const heads = new Set<string>();
    const madeUp = key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");
    for (const header of [
      {},
      { "X-Api-Key": "" },
      { "X-Api-Key": "svc_short" },
      { Authorization: "Basic abc" },
      { "X-Api-Key": madeUp },
      { "X-Api-Key": key },
    ]) {
      const answer = await ask("/api/v1/instance", {
        headers: { ...header, "cf-connecting-ip": freshAddress() } as Record<string, string>,
      });
      expect(answer.status).toBe(401);
      bodies.add(await answer.text());
      answer.headers.delete("x-request-id");
      heads.add(JSON.stringify([...answer.headers]));
    }
    expect([...bodies]).toEqual([
      '{"error":{"codigo":"chave_invalida","mensagem":"Chave de API ausente, inválida ou revogada. Esta API usa a chave da conexão (svc_…)."}}',
    ]);
    expect(heads.size).toBe(1);
    expect([...heads][0]).toContain("/docs?lang=pt#description/erros");
    // Only a call with the issued key reached an object.
    expect(revoked.calls).toHaveLength(1);
  });

  it("is checked before anything about the route is revealed", async () => {
    const { ask, calls, headers } = asked();
    expect((await ask("/api/v1/nothing/here", { headers })).status).toBe(401);
    expect(calls).toHaveLength(0);
  });
});

describe("an address that fails too often", () => {
  it("is answered 401 twenty times, then 429 with Retry-After, while good keys pass", async () => {
    const { ask, headers } = asked();
    for (let attempt = 1; attempt <= 20; attempt += 1) expect((await ask("/api/v1/instance", { headers })).status).toBe(401);
    const blocked = await ask("/api/v1/instance", { headers });
    expect(blocked.status).toBe(429);
    expect(((await blocked.json()) as ErrorBody).error.codigo).toBe("muitas_tentativas");
    const wait = Number(blocked.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(895);
    expect(wait).toBeLessThanOrEqual(900);
    const { key } = freshKey();
    expect((await ask(restart, { method: "POST", headers: { ...headers, "X-Api-Key": key } })).status).toBe(200);
    // Other addresses are unaffected.
    expect((await ask("/api/v1/instance", { headers: { "cf-connecting-ip": freshAddress() } })).status).toBe(401);
  });
});

describe("a nonexistent route", () => {
  it("answers 404, and 405 where the path has other methods, with a valid key, after the object's own checks", async () => {
    const objects = scriptedConnections((call) => ({
      ok: false,
      failure: { code: call.operation === null ? "route_not_found" : "internal_error" },
    }));
    const ask = gateway(objects);
    const headers = { "X-Api-Key": freshKey().key };
    for (const [method, path, status, codigo] of [
      ["GET", "/api/v1/nope", 404, "rota_nao_encontrada"],
      ["POST", "/api/v1/chats", 405, "metodo_nao_permitido"],
      ["GET", "/api/v1", 404, "rota_nao_encontrada"],
      ["DELETE", "/api/v1/messages/text", 405, "metodo_nao_permitido"],
      ["GET", "/api/v1/chats/", 404, "rota_nao_encontrada"],
    ] as const) {
      const answer = await ask(path, { method, headers });
      expect([path, answer.status, ((await answer.json()) as ErrorBody).error.codigo]).toEqual([path, status, codigo]);
    }
    expect(objects.calls.every((call) => call.operation === null)).toBe(true);
  });
});

describe("plain HTTP", () => {
  it("is refused with the API's own error and never redirected", async () => {
    const { ask, calls } = asked();
    const headers = { "X-Api-Key": freshKey().key };
    const answer = await ask("http://app.example.com/api/v1/instance", { headers });
    expect([answer.status, ((await answer.json()) as ErrorBody).error.codigo]).toEqual([403, "https_obrigatorio"]);
    const other = await ask("http://127.0.0.1/api/dashboard/connections");
    expect([other.status, ((await other.json()) as { error: { code: string } }).error.code]).toEqual([403, "https_required"]);
    expect(calls).toHaveLength(0);
  });
});

it("every response has a request id", async () => {
  const { ask, headers } = asked();
  const ids = new Set<string | null>();
  for (const path of ["/api/v1/instance", "/api/nothing", "/nothing", "/api/midia/x.jpg", "/internal/bridges", "/api/health"]) {
    ids.add((await ask(path, { headers })).headers.get("x-request-id"));
  }
  expect(ids.size).toBe(6);
  expect(ids.has(null)).toBe(false);
});
