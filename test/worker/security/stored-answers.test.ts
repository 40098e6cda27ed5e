// A secret shown once is not stored with the response for a repeated Idempotency-Key.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { callsWith } from "../support/accounts.ts";
import { freshCustomer } from "../support/customer.ts";
import { storedIn } from "../support/stored.ts";

const HOOK = "https://hooks.example.net/own";

it("a webhook's secret is in the first answer alone, made or rotated, and stored in no table in the clear", async () => {
  const { owner, connection } = await freshCustomer();
  const call = callsWith({ authorization: `Bearer ${owner.token}` });
  const path = `/dashboard/connections/${connection.id}/webhook`;
  const twice = async (method: string, route: string, body: unknown, key: string) => {
    const first = await call(method, route, body, { "idempotency-key": key });
    const second = await call(method, route, body, { "idempotency-key": key });
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.status).toBe(first.status);
    return [first.body.data, second.body.data] as const;
  };
  const [made, madeAgain] = await twice("PUT", path, { url: HOOK }, "made-once");
  expect(made.secret).toMatch(/^whsec_/);
  expect(madeAgain).toEqual({ ...made, secret: null });
  const [rotated, rotatedAgain] = await twice("POST", `${path}/rotate`, undefined, "rotated-once");
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotatedAgain).toEqual({ secret: null });
  const [key, keyAgain] = await twice("POST", `/dashboard/connections/${connection.id}/keys`, { name: "Loja" }, "key-once");
  expect(key.key).toMatch(/^svc_/);
  expect(keyAgain).toEqual({ ...key, key: null });

  const stored = await storedIn(env.CONNECTION.getByName(connection.instance_id));
  expect(stored).toContain("replay: {");
  for (const secret of [made.secret, rotated.secret, key.key]) expect(stored).not.toContain(secret);
  expect(stored).not.toContain("whsec_");
});

it("an account's webhook secret and key are not stored by the account's guard", async () => {
  const { owner } = await freshCustomer();
  const call = callsWith({ authorization: `Bearer ${owner.token}` });
  const hook = { url: HOOK, events: ["message.received"], secret: "a secret of the customer's own" };
  expect((await call("POST", "/webhooks", hook, { "idempotency-key": "one" })).status).toBe(201);
  const key = await call("POST", "/api-keys", { name: "CI" }, { "idempotency-key": "two" });
  expect(key.body.data.key).toMatch(/^acc_/);
  const stored = await storedIn(env.ACCOUNT_GUARD.getByName(owner.user.id));
  expect(stored).toContain("replay: {");
  for (const secret of [hook.secret, key.body.data.key]) expect(stored).not.toContain(secret);
});
