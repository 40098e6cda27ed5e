// Requests with truncated or badly framed bodies, as broken clients or proxies send them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawRequest } from "../../support/raw-request.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

let sandbox: SharedSandbox;

beforeAll(async () => {
  sandbox = await borrowSandbox();
});
afterAll(() => sandbox.dispose());

const FRAMINGS = [
  ["is shorter than its Content-Length", { "content-length": "100" }, '{"to":"5511', false],
  ["ends within a chunk", { "transfer-encoding": "chunked" }, '20\r\n{"to":"5511', false],
  ["lacks its last chunk", { "transfer-encoding": "chunked" }, "2\r\n{}\r\n", false],
  ["has a chunk without a size", { "transfer-encoding": "chunked" }, 'zz\r\n{"to":"5511\r\n0\r\n\r\n', true],
] as const;

describe("a request body", () => {
  it.each(FRAMINGS)("is answered 400 by every API if it %s", async (_, framing, body, staysOpen) => {
    const { app_url: origin, demo } = sandbox.ready();
    const account = { "x-api-key": demo.api_key };
    const connection = { "x-api-key": demo.connection.api_key };
    const cases: [line: string, headers: Record<string, string>, code: string][] = [
      ["POST /api/v1/messages/text", connection, "corpo_incompleto"],
      ["PUT /api/v1/presence", connection, "corpo_incompleto"],
      // This route accepts no body.
      ["POST /api/v1/instance/restart", connection, "corpo_incompleto"],
      ["POST /api/webhooks", account, "body_incomplete"],
      [`POST /api/instances/${demo.connection.instance_id}/restart`, account, "body_incomplete"],
      ["POST /api/auth/sign-in/email", {}, "body_incomplete"],
      ["POST /sandbox/token", {}, "body_incomplete"],
      // This request is rejected before its body is read.
      ["POST /api/v1/messages/text", { "x-api-key": "svc_wrong" }, "chave_invalida"],
    ];
    for (const [line, headers, code] of cases) {
      const sent = { origin, "content-type": "application/json", ...headers, ...framing };
      const answer = await rawRequest(origin, line, sent, body, { staysOpen });
      const { codigo, code: english } = answer?.body?.error ?? {};
      expect([line, answer?.status, codigo ?? english]).toEqual([line, code === "chave_invalida" ? 401 : 400, code]);
    }
  });

  it("does not hide the response if a blocked address is still sending it", async () => {
    const { app_url: origin } = sandbox.ready();
    const headers = { "x-api-key": "svc_wrong", "cf-connecting-ip": "203.0.113.77", "content-type": "application/json" };
    const send = (body: string) => fetch(`${origin}/api/v1/messages/text`, { method: "POST", headers, body }).then(({ status }) => status);
    for (let status = 0; status !== 429;) status = await send("{}");
    const long = JSON.stringify({ to: "5511900000002", text: "a".repeat(1_000_000) });
    for (let times = 0; times < 10; times += 1) expect(await send(long)).toBe(429);
  });

  it("is refused if a client compressed it, whatever its content", async () => {
    const { app_url: origin, demo } = sandbox.ready();
    const packed = { "x-api-key": demo.connection.api_key, "content-type": "application/json", "content-encoding": "gzip" };
    const answer = await rawRequest(origin, "POST /api/v1/messages/text", { ...packed, "content-length": "4" }, "\x1f\x7f\b\0");
    expect([answer?.status, answer?.body.error.codigo]).toEqual([400, "json_invalido"]);
  });
});
