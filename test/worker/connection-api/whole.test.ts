// A customer's path through the real connection object: sign in, create a connection and a key, call the API.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { type ErrorBody, freshAddress, gateway } from "../support/gateway.ts";
import { type Someone, someone } from "../support/people.ts";

const ask = gateway();

async function connectionOf(owner: Someone): Promise<{ id: number; instance_id: string; status: string }> {
  const made = await ask("/api/dashboard/connections", { method: "POST", headers: owner.headers, body: '{"name":"Loja"}' });
  expect(made.status).toBe(201);
  return ((await made.json()) as { data: { id: number; instance_id: string; status: string } }).data;
}

async function keyOf(owner: Someone, id: number, name = "Sistema"): Promise<{ id: string; key: string }> {
  const made = await ask(`/api/dashboard/connections/${id}/keys`, {
    method: "POST",
    headers: owner.headers,
    body: JSON.stringify({ name }),
  });
  expect(made.status).toBe(201);
  return ((await made.json()) as { data: { id: string; key: string } }).data;
}

async function customer() {
  const owner = await someone();
  const connection = await connectionOf(owner);
  const { id, key } = await keyOf(owner, connection.id);
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(`/api/v1${path}`, {
      method,
      headers: { "X-Api-Key": key, "content-type": "application/json", "cf-connecting-ip": freshAddress(), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { owner, connection, key, keyId: id, call };
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as ErrorBody).error.codigo];

describe("a new connection", () => {
  it("is seen through its key, as created and disconnected", async () => {
    const { call, connection } = await customer();
    expect(connection.status).toBe("disconnected");
    const answer = await call("GET", "/instance");
    expect(((await answer.json()) as { data: object }).data).toMatchObject({
      id: connection.id,
      name: "Loja",
      phone: null,
      kind: "session",
      status: "disconnected",
      status_reason: "created",
      subscription: { status: "active" },
    });
    expect(answer.headers.get("ratelimit-policy")).toBe('"burst";q=200;w=10');
    expect(await codeOf(await call("GET", "/instance/qr"))).toEqual([409, "qr_indisponivel"]);
    expect(await codeOf(await call("POST", "/messages/text", { to: "5511900000002", text: "oi" }))).toEqual([409, "conexao_desconectada"]);
    expect(await codeOf(await call("GET", "/messages/none"))).toEqual([404, "mensagem_nao_encontrada"]);
    expect(await (await call("GET", "/chats")).json()).toEqual({ data: [], next_cursor: null });
  });

  it("serves a repeated read from its cache, with an age, until the read was repeated too often", async () => {
    const { call } = await customer();
    expect((await call("GET", "/chats")).headers.has("age")).toBe(false);
    expect((await call("GET", "/chats?")).headers.get("age")).toMatch(/^\d$/);
    for (let read = 3; read <= 60; read += 1) expect((await call("GET", "/chats")).status).toBe(200);
    const refused = await call("GET", "/chats");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await codeOf(refused)).toEqual([429, "consulta_repetida"]);
    expect((await call("GET", "/chats?limit=10")).status).toBe(200);
  });

  it("checks in the documented order: key, subscription, route, body", async () => {
    const { owner, call } = await customer();
    expect(await codeOf(await call("GET", "/nothing"))).toEqual([404, "rota_nao_encontrada"]);
    for (const [method, path, allowed] of [
      ["GET", "/messages/text", "POST"],
      ["PATCH", "/groups/join-info", "GET"],
      ["PUT", "/chats", "GET"],
    ] as const) {
      const wrong = await call(method, path);
      expect([wrong.status, wrong.headers.get("allow"), await wrong.json()]).toEqual([
        405,
        allowed,
        {
          error: {
            codigo: "metodo_nao_permitido",
            mensagem: "Esta rota existe, mas não com este método. Veja os detalhes ou o cabeçalho Allow.",
            detalhes: { metodo: allowed },
          },
        },
      ]);
    }
    expect(await codeOf(await call("POST", "/messages/text", {}))).toEqual([400, "requisicao_invalida"]);
    expect(await codeOf(await call("POST", "/messages/text", { to: "5511900000002", text: "a" }, { "Idempotency-Key": "a b" }))).toEqual([
      400,
      "idempotencia_invalida",
    ]);
    await setSubscription(
      env as Env,
      owner.user.id,
      { plan: "test", status: "canceled", maxInstances: 1, currentPeriodEnd: null },
      Date.now(),
    );
    for (const [method, path, body] of [
      ["GET", "/instance"],
      ["GET", "/nothing"],
      ["POST", "/messages/text", {}],
    ] as const) {
      expect(await codeOf(await call(method, path, body))).toEqual([402, "sem_assinatura"]);
    }
    await setSubscription(
      env as Env,
      owner.user.id,
      { plan: "test", status: "trialing", maxInstances: 1, currentPeriodEnd: null },
      Date.now(),
    );
    expect((await call("GET", "/instance")).status).toBe(200);
  });
});

it("a send with another route's Idempotency-Key is answered 409, and not with that route's result", async () => {
  const { call } = await customer();
  const once = { "Idempotency-Key": "once" };
  expect((await call("POST", "/instance/restart", undefined, once)).status).toBe(200);
  const send = await call("POST", "/messages/text", { to: "5511900000002", text: "a" }, once);
  expect(send.headers.get("idempotency-mismatch")).toBe("true");
  expect(await codeOf(send)).toEqual([409, "conteudo_diferente"]);
  await call("POST", "/instance/disconnect");
});

describe("a long body", () => {
  afterEach(() => void vi.restoreAllMocks());

  const over = () => new Uint8Array(26_214_401).fill(0x20);
  const post = async (key: string, path: string, body: BodyInit) =>
    codeOf(
      await ask(`/api/v1${path}`, {
        method: "POST",
        headers: { "X-Api-Key": key, "content-type": "application/json", "cf-connecting-ip": freshAddress() },
        body,
      }),
    );

  it("is judged after the key, the subscription and the burst limit", async () => {
    const { owner, connection, key, keyId, call } = await customer();
    expect(await post(key, "/messages/text", over())).toEqual([413, "corpo_grande_demais"]);
    // The limit counts the calls of 10 s, so these take no time. The clock must run for a long body, which is read at a limited pace.
    const [clock, stoppedAt] = [Date.now.bind(Date), Date.now()];
    const now = vi.spyOn(Date, "now").mockReturnValue(stoppedAt);
    await Promise.all(Array.from({ length: 199 }, (_, n) => call("GET", `/chats?q=${n}`)));
    const stoodMs = clock() - stoppedAt;
    now.mockImplementation(() => clock() - stoodMs);
    expect(await post(key, "/messages/text", over())).toEqual([429, "excesso_de_pedidos"]);
    const terms = { plan: "test", status: "canceled", maxInstances: 1, currentPeriodEnd: null } as const;
    await setSubscription(env as Env, owner.user.id, terms, Date.now());
    expect(await post(key, "/messages/text", over())).toEqual([402, "sem_assinatura"]);
    await ask(`/api/dashboard/connections/${connection.id}/keys/${keyId}`, { method: "DELETE", headers: owner.headers });
    expect(await post(key, "/messages/text", over())).toEqual([401, "chave_invalida"]);
  });

  it("is counted once", async () => {
    const { key, call } = await customer();
    await post(key, "/messages/text", JSON.stringify({ text: "a".repeat(70_000) }));
    expect((await call("GET", "/instance")).headers.get("ratelimit")).toMatch(/r=198;/);
  });

  it("is discarded up to a limit if nobody may send it", async () => {
    let pulled = 0;
    const endless = () =>
      new ReadableStream({
        type: "bytes",
        pull(controller: ReadableByteStreamController) {
          pulled += 65_536;
          controller.enqueue(new Uint8Array(65_536));
        },
      });
    const revoked = await customer();
    await ask(`/api/dashboard/connections/${revoked.connection.id}/keys/${revoked.keyId}`, {
      method: "DELETE",
      headers: revoked.owner.headers,
    });
    for (const [key, path] of [
      ["svc_none", "/messages/text"],
      [revoked.key, "/messages/text"],
      [revoked.key, "/nothing"],
    ] as const) {
      pulled = 0;
      expect(await post(key, path, endless())).toEqual([401, "chave_invalida"]);
      expect(pulled).toBeGreaterThan(25_000_000);
      expect(pulled).toBeLessThan(28_000_000);
    }
  });
});

describe("keys", () => {
  it("are three at most, also when all are made at once, and revocation is immediate", async () => {
    const { owner, connection, keyId, call } = await customer();
    const path = `/api/dashboard/connections/${connection.id}/keys`;
    const make = () => ask(path, { method: "POST", headers: owner.headers, body: '{"name":"x"}' });
    expect((await Promise.all([make(), make(), make(), make()])).map((made) => made.status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 409, 409,
    ]);
    expect((await call("GET", "/instance")).status).toBe(200);
    expect((await ask(`${path}/${keyId}`, { method: "DELETE", headers: owner.headers })).status).toBe(200);
    expect(await codeOf(await call("GET", "/instance"))).toEqual([401, "chave_invalida"]);
    expect((await ask(`${path}/${keyId}`, { method: "DELETE", headers: owner.headers })).status).toBe(404);
    expect((await make()).status).toBe(201);
    const listed = (await (await ask(path, { headers: owner.headers })).json()) as { data: Record<string, unknown>[] };
    expect(listed.data).toHaveLength(3);
    expect(Object.keys(listed.data[0] ?? {}).toSorted()).toEqual([
      "allowed_ips",
      "assistant",
      "created_at",
      "id",
      "last_used_at",
      "name",
      "prefix",
      "refused_at",
      "refused_ip",
      "scopes",
    ]);
  });

  it("reach only their own connection, and are deleted with it", async () => {
    const [mine, other] = [await customer(), await customer()];
    const seen = async (who: typeof mine) => ((await (await who.call("GET", "/instance")).json()) as { data: { id: number } }).data.id;
    expect([await seen(mine), await seen(other)]).toEqual([mine.connection.id, other.connection.id]);
    expect((await ask(`/api/dashboard/connections/${mine.connection.id}`, { method: "DELETE", headers: mine.owner.headers })).status).toBe(
      200,
    );
    expect(await codeOf(await mine.call("GET", "/instance"))).toEqual([401, "chave_invalida"]);
    expect((await other.call("GET", "/instance")).status).toBe(200);
  });
});

describe("people it is shared with", () => {
  it("do what their role allows and no more", async () => {
    const { owner, connection } = await customer();
    const [operator, viewer] = [await someone(null), await someone(null)];
    const base = `/api/dashboard/connections/${connection.id}`;
    for (const [guest, role] of [
      [operator, "operator"],
      [viewer, "viewer"],
    ] as const) {
      await ask(`${base}/shares`, { method: "POST", headers: owner.headers, body: JSON.stringify({ email: guest.user.email, role }) });
    }
    const statusOf = async (who: Someone, method: string, path: string) =>
      (await ask(base + path, { method, headers: who.headers })).status;
    expect(await statusOf(viewer, "GET", "")).toBe(200);
    expect(await statusOf(viewer, "POST", "/restart")).toBe(403);
    expect(await statusOf(operator, "POST", "/disconnect")).toBe(200);
    for (const who of [operator, viewer]) {
      for (const [method, path] of [
        ["GET", "/keys"],
        ["POST", "/logout"],
        ["DELETE", "/webhook"],
        ["POST", "/webhook/rotate"],
      ] as const) {
        expect([path, await statusOf(who, method, path)]).toEqual([path, 403]);
      }
    }
  });
});
