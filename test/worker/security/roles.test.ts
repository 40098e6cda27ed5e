// Every operation called with too low a role, and every field that requires a higher role than its operation.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "@gateway/protocol/connection.ts";
import { OPERATIONS, type OperationName, type OperationRow, type Role } from "@gateway/protocol/operations.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { callsWith, codeOf, keyOf } from "../support/accounts.ts";
import { freshKey, gateway } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

const ask = gateway();
const RANK: Record<Role, number> = { viewer: 0, operator: 1, owner: 2 };
const rows = Object.entries(OPERATIONS) as [OperationName, OperationRow][];
const fields = rows.flatMap(([name, { fieldRoles = {} }]) => Object.entries(fieldRoles).map(([field, role]) => ({ name, field, role })));

describe("a caller whose role is too low", () => {
  let connection: TestConnection;
  const callers: { who: string; role: Role; caller: Caller }[] = [];

  beforeAll(async () => {
    connection = await TestConnection.create();
    for (const role of ["viewer", "operator"] as const) callers.push({ who: role, role, caller: { kind: "account", subject: role, role } });
    const { hash } = freshKey();
    await connection.ask("keys.create", { name: "key", prefix: "svc_12345678", hash });
    callers.push({ who: "connection key", role: "operator", caller: { kind: "connection_key", hash } });
    await connection.ask("pairing.create", { id: "link", label: "Ana", hash: "aa", created_by: "o", lifetime_ms: 3_600_000 });
    callers.push({ who: "pairing link", role: "operator", caller: { kind: "pairing_link", hash: "aa" } });
  });
  afterAll(allEnded);

  it.each(rows)("is refused: %s", async (name, { role }) => {
    for (const { who, caller } of callers.filter((one) => RANK[one.role] < RANK[role])) {
      expect([who, await connection.ask(name, {} as never, { caller })]).toEqual([who, { ok: false, code: "forbidden" }]);
    }
  });

  it.each(fields)("is refused the field $field of $name", async ({ name, field, role }) => {
    for (const { who, caller } of callers.filter((one) => RANK[one.role] < RANK[role])) {
      const answer = await connection.ask(name, { [field]: true } as never, { caller });
      expect([who, answer]).toMatchObject([who, { ok: false, code: "forbidden" }]);
    }
  });
});

describe("forcing a new pairing", () => {
  afterAll(allEnded);

  /** A connected number, its owner, and a guest with the operator role. */
  async function shared() {
    const [owner, guest] = [await someone(), await someone()];
    const connection = await TestConnection.create({ owner_id: owner.user.id });
    const dashboard = `/api/dashboard/connections/${connection.record.id}`;
    await ask(`${dashboard}/shares`, {
      method: "POST",
      headers: owner.headers,
      body: JSON.stringify({ email: guest.user.email, role: "operator" }),
    });
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.paired(), event.open()]);
    const path = `/instances/${connection.uuid}/connect`;
    const forced = async (who: typeof owner) => {
      const byDashboard = await ask(`${dashboard}/connect`, { method: "POST", headers: who.headers, body: '{"force_new_pairing":true}' });
      const { key } = await keyOf(who, { scopes: ["manage"] });
      return {
        dashboard: [byDashboard.status, ((await byDashboard.json()) as { error?: { code: string } }).error?.code],
        token: await callsWith({ authorization: `Bearer ${who.token}` })("POST", path, { force_new_pairing: true }),
        key: await callsWith({ "x-api-key": key })("POST", path, { force_new_pairing: true }),
      };
    };
    return { owner, guest, connection, forced, path };
  }

  it("is refused to a guest, however they ask, and the number stays as it is", async () => {
    const { guest, connection, forced, path } = await shared();
    const { dashboard, token, key } = await forced(guest);
    expect(dashboard).toEqual([403, "forbidden"]);
    for (const answer of [token, key]) {
      expect(codeOf(answer)).toEqual([403, "forbidden"]);
      expect(answer.body.error.details).toEqual({ field: "force_new_pairing" });
    }
    expect(await connection.status()).toBe("connected/ok");
    expect((await callsWith({ authorization: `Bearer ${guest.token}` })("POST", path, {})).status, "the guest may connect").toBe(200);
  });

  it("is allowed to the owner, and to the owner's keys with the scope manage", async () => {
    const { owner, connection, forced } = await shared();
    const { dashboard, token, key } = await forced(owner);
    expect([dashboard[0], token.status, key.status]).toEqual([200, 200, 200]);
    expect(await connection.status()).toBe("connecting/starting");
  });
});
