// The response to every kind of invalid key on each request (docs/use/connection-api.md, "Authentication").
import { beforeAll, describe, expect, it } from "vitest";
import { freshCustomer } from "../support/customer.ts";
import { freshAddress, freshKey, gateway, scriptedConnections } from "../support/gateway.ts";
import { answerTo, madeUpKey, type TableRequest } from "./world.ts";

const ask = gateway();
const CHAVE_INVALIDA =
  '{"error":{"codigo":"chave_invalida","mensagem":"Chave de API ausente, inválida ou revogada. Esta API usa a chave da conexão (svc_…)."}}';

export function describeBadKeys(requests: readonly TableRequest[]): void {
  let revoked: string;
  let removed: string;
  /** A genuine key for a connection that never existed. */
  const orphan = freshKey().key;

  beforeAll(async () => {
    const [mine, gone] = await Promise.all([freshCustomer(), freshCustomer()]);
    const second = await mine.freshKey();
    await mine.revoke(second.id);
    revoked = second.key;
    removed = gone.key;
    await ask(`/api/dashboard/connections/${gone.connection.id}`, { method: "DELETE", headers: gone.owner.headers });
  });

  const kinds: readonly [kind: string, headers: () => Record<string, string>][] = [
    ["no key", () => ({})],
    ["an empty key", () => ({ "X-Api-Key": "" })],
    ["an empty bearer token", () => ({ Authorization: "Bearer " })],
    ["a malformed key", () => ({ "X-Api-Key": "svc_short" })],
    ["another scheme", () => ({ Authorization: `Basic ${btoa(`${orphan}:`)}` })],
    ["a made-up key", () => ({ "X-Api-Key": madeUpKey() })],
    ["a made-up bearer token", () => ({ Authorization: `Bearer ${madeUpKey()}` })],
    ["a revoked key", () => ({ "X-Api-Key": revoked })],
    ["a revoked bearer token", () => ({ Authorization: `Bearer ${revoked}` })],
    ["the key of a removed connection", () => ({ "X-Api-Key": removed })],
    ["the key of no connection", () => ({ "X-Api-Key": orphan })],
  ];

  const answers = new Set<string>();

  describe.each(requests)("$name", (request) => {
    it("answers the same 401 to every bad key, whatever is wrong with it", async () => {
      for (const [kind, headers] of kinds) {
        const { status, head, body } = await answerTo(ask, request, { ...headers(), "cf-connecting-ip": freshAddress() });
        expect([kind, status, body]).toEqual([kind, 401, CHAVE_INVALIDA]);
        answers.add(head);
      }
      expect(answers.size, [...answers].join("\n")).toBe(1);
    });

    it("refuses a forged key without storage access", async () => {
      const objects = scriptedConnections(() => ({ ok: true, json: "{}" }));
      for (const key of ["svc_short", madeUpKey()]) {
        await answerTo(gateway(objects), request, { "X-Api-Key": key, "cf-connecting-ip": freshAddress() });
      }
      expect(objects.names).toEqual([]);
    });

    it("routes a key to its own connection only, whatever else the request names", async () => {
      const [mine, other] = [freshKey(), freshKey()];
      const objects = scriptedConnections(() => ({ ok: false, failure: { code: "unavailable" } }));
      const mark = request.path.includes("?") ? "&" : "?";
      const path = `${request.path}${mark}connection=${other.connection}&instance_id=${other.connection}`;
      const headers = { "X-Api-Key": mine.key, Authorization: `Bearer ${other.key}`, "X-Instance-Id": other.connection };
      const { status } = await answerTo(gateway(objects), { ...request, path }, headers);
      expect(status).toBe(503);
      expect(objects.names).toEqual([mine.connection]);
      expect(objects.calls[0]?.caller).toMatchObject({ kind: "connection_key", hash: mine.hash });
    });

    it("does not fall back to Authorization when X-Api-Key is bad", async () => {
      const objects = scriptedConnections(() => ({ ok: true, json: "{}" }));
      for (const bad of ["", "nope", madeUpKey()]) {
        const headers = { "X-Api-Key": bad, Authorization: `Bearer ${freshKey().key}`, "cf-connecting-ip": freshAddress() };
        expect((await answerTo(gateway(objects), request, headers)).status).toBe(401);
      }
      expect(objects.names).toEqual([]);
    });
  });
}
