// Every Connection API route when the owning account has no active subscription (docs/use/connection-api.md, "Authentication").
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { type Customer, freshCustomer } from "../support/customer.ts";
import { freshAddress, gateway } from "../support/gateway.ts";
import { madeUpKey, NOWHERE, TABLE, answerTo } from "./world.ts";

const ask = gateway();
const end = (customer: Customer, status: "canceled" | "past_due") =>
  setSubscription(env, customer.owner.user.id, { plan: "test", status, maxInstances: 10, currentPeriodEnd: null }, Date.now());

let lapsed: Customer;
beforeAll(async () => {
  lapsed = await freshCustomer();
  await end(lapsed, "canceled");
});

describe.each([...TABLE, ...NOWHERE])("$name", (request) => {
  it("answers 402 to the key of a lapsed account, before any check of the route, the body or the limits", async () => {
    const first = await answerTo(ask, request, { "X-Api-Key": lapsed.key });
    expect(first).toMatchObject({ status: 402, codigo: "sem_assinatura" });
    const takesBody = ["POST", "PUT", "PATCH"].includes(request.method);
    const broken = takesBody ? { ...request, init: { ...request.init, body: "{" } } : request;
    expect(await answerTo(ask, broken, { "X-Api-Key": lapsed.key, "Idempotency-Key": "not valid" })).toEqual(first);
  });

  it("still answers 401 to a bad key", async () => {
    expect((await answerTo(ask, request, { "X-Api-Key": madeUpKey(), "cf-connecting-ip": freshAddress() })).status).toBe(401);
  });
});

describe("a lapsed account", () => {
  it("works again as soon as the subscription is active, and other accounts were not affected", async () => {
    const [other, mine] = await Promise.all([freshCustomer(), freshCustomer()]);
    await end(mine, "canceled");
    expect((await mine.call("GET", "/instance")).status).toBe(402);
    expect((await other.call("GET", "/instance")).status).toBe(200);
    const active = { plan: "test", status: "active", maxInstances: 10, currentPeriodEnd: null } as const;
    await setSubscription(env, mine.owner.user.id, active, Date.now());
    expect((await mine.call("GET", "/instance")).status).toBe(200);
  });
});
