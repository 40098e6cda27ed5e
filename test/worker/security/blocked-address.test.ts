// Every Connection API route from an address with too many failures (docs/internals/admission.md, "Invalid keys").
import { beforeAll, describe, expect, it } from "vitest";
import { freshAddress, freshKey, gateway, scriptedConnections } from "../support/gateway.ts";
import { madeUpKey, NOWHERE, TABLE, answerTo } from "./world.ts";

const ask = gateway();
const blocked = { "cf-connecting-ip": freshAddress() };

beforeAll(async () => {
  for (let attempt = 1; attempt <= 20; attempt += 1) await ask("/api/v1/instance", { headers: blocked });
});

const bodies = new Set<string>();

describe.each([...TABLE, ...NOWHERE])("$name", (request) => {
  it("answers 429 with Retry-After to a missing or a bad key, in the same words", async () => {
    for (const key of [null, "", "svc_short", madeUpKey()]) {
      const answer = await answerTo(ask, request, { ...blocked, ...(key === null ? {} : { "X-Api-Key": key }) });
      expect(answer).toMatchObject({ status: 429, codigo: "muitas_tentativas" });
      expect(answer.retryAfter).toBeGreaterThan(0);
      expect(answer.retryAfter).toBeLessThanOrEqual(900);
      bodies.add(answer.body);
    }
    expect(bodies.size).toBe(1);
  });

  it("lets a valid key pass", async () => {
    const objects = scriptedConnections((call) => ({
      ok: false,
      failure: { code: call.operation === null ? "route_not_found" : "not_supported" },
    }));
    const { status } = await answerTo(gateway(objects), request, { ...blocked, "X-Api-Key": freshKey().key });
    expect([404, 405, 501]).toContain(status);
    expect(objects.calls).toHaveLength(1);
  });

  it("leaves other addresses alone", async () => {
    expect((await answerTo(ask, request, { "cf-connecting-ip": freshAddress() })).status).toBe(401);
  });
});
