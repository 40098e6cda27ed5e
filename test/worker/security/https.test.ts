// Plain HTTP is refused everywhere, before the key is checked (docs/operate/security.md, "HTTPS only").
import { describe, expect, it } from "vitest";
import { freshKey, gateway, scriptedConnections } from "../support/gateway.ts";
import { NOWHERE, TABLE, answerTo } from "./world.ts";

describe.each([...TABLE, ...NOWHERE])("http: $name", (request) => {
  it("answers 403 with and without a valid key, without calling the object or redirecting", async () => {
    const objects = scriptedConnections(() => ({ ok: true, json: "{}" }));
    const guard = new Proxy({}, { get: () => expect.unreachable("the guard was asked") }) as DurableObjectNamespace;
    const plain = { ...request, path: `http://app.example.com${request.path}` };
    for (const headers of [{}, { "X-Api-Key": freshKey().key }, { "X-Api-Key": freshKey().key, "X-Forwarded-Proto": "https" }]) {
      const answer = await answerTo(gateway({ ...objects, ADDRESS_GUARD: guard }), plain, headers as Record<string, string>);
      expect(answer).toMatchObject({ status: 403, codigo: "https_obrigatorio" });
      expect(answer.head).not.toContain('"location"');
    }
    expect(objects.names).toEqual([]);
  });
});
