// The Python client: its own tests with the conformance cases, and each method against the documents.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { OpenApi } from "@gateway/codegen/document.ts";
import { clientOf } from "@gateway/codegen/operations.ts";
import { snakeCase } from "@gateway/codegen/python/types.ts";
import { python, pythonIsMissing } from "../../support/kit/python.ts";

const INSTANCE = "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b";
const OF_INSTANCE = "/api/instances/{instanceId}/";
const WITHIN_MS = 120_000;

const document = (api: string): OpenApi => JSON.parse(readFileSync(`docs/openapi/${api}.json`, "utf8")) as OpenApi;
const missing = pythonIsMissing();

type Sent = { method: string; url: string; body: unknown; headers: Record<string, string> };

function callsOf(api: "connection" | "account") {
  const { methods } = clientOf(document(api), "/");
  return methods.map((method) => {
    const path = `/${method.path}`;
    const isBound = path.startsWith(OF_INSTANCE) && method.resource !== "instances";
    const ids = method.pathParameters.filter(({ name }) => !isBound || name !== "instanceId").map(({ name }) => `${name} @1/2 ção`);
    const left = isBound ? [INSTANCE, ...ids] : [...ids];
    const query = Object.fromEntries(method.query.map(({ name }) => [name, `${name} &=1`]));
    return {
      client: api === "connection" ? "Connection" : isBound ? "Instance" : "Account",
      instance: INSTANCE,
      resource: method.resource,
      method: snakeCase(method.name),
      given: [...ids, ...(method.body === null ? [] : [{ text: "Olá", at: 1 }])],
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [snakeCase(name), value])),
      expected: {
        method: method.verb,
        path: path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? "")),
        query,
        body: method.body === null ? null : { text: "Olá", at: 1 },
        isKeyed: method.isKeyed,
      },
    };
  });
}

describe.skipIf(missing !== null)(`the Python client${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  it("passes the conformance cases and its own tests", { timeout: WITHIN_MS }, () => {
    const { code, err } = python(["-m", "unittest", "discover"]);
    expect(code, err).toBe(0);
    expect(Number(/Ran (\d+) tests/.exec(err)?.[1])).toBeGreaterThan(10);
  });

  it("has a method for each operation, which sends the documented request", { timeout: WITHIN_MS }, () => {
    const calls = [...callsOf("connection"), ...callsOf("account")];
    const { code, out, err } = python(["record.py"], { input: JSON.stringify(calls) });
    expect(code, err).toBe(0);
    const requests = (JSON.parse(out) as Sent[]).map(({ method, url, body, headers }) => {
      const { origin, pathname, searchParams } = new URL(url);
      expect([origin, headers["x-api-key"]]).toEqual(["https://app.example.com", "svc_x"]);
      return { method, path: pathname, query: Object.fromEntries(searchParams), body, isKeyed: "idempotency-key" in headers };
    });
    expect(requests).toEqual(calls.map(({ expected }) => expected));
    expect(requests.length).toBeGreaterThan(250);
  });

  it("imports no package but the standard library, and loads its types", () => {
    const script = [
      "import sys, gateway_sdk.webhooks, gateway_sdk.generated.account_types",
      "loaded = {name.split('.')[0] for name in sys.modules} - {'gateway_sdk', '__main__'}",
      // Python 3.9 lacks `sys.stdlib_module_names`.
      "print(*loaded - set(getattr(sys, 'stdlib_module_names', loaded)))",
    ].join("\n");
    expect(python(["-S", "-c", script])).toEqual({ code: 0, out: "\n", err: "" });
  });
});
