// Every Connection API route while the owning account is suspended (docs/use/connection-api.md, "Authentication").
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { activateUser, suspendUser } from "#root/src/services/users/suspend.ts";
import { type Customer, freshCustomer } from "../support/customer.ts";
import { freshAddress, gateway } from "../support/gateway.ts";
import { madeUpKey, NOWHERE, TABLE, answerTo } from "./world.ts";

const ask = gateway();
const bindings = env as Env;
let suspended: Customer;
beforeAll(async () => {
  suspended = await freshCustomer();
  await suspendUser(bindings, suspended.owner.user.id);
});

describe.each([...TABLE, ...NOWHERE])("$name", (request) => {
  it("answers 403 to the key of a suspended account, and still 401 to a bad key", async () => {
    expect(await answerTo(ask, request, { "X-Api-Key": suspended.key })).toMatchObject({ status: 403, codigo: "conta_suspensa" });
    expect((await answerTo(ask, request, { "X-Api-Key": madeUpKey(), "cf-connecting-ip": freshAddress() })).status).toBe(401);
  });
});

describe("a suspended account", () => {
  it("works again as soon as the suspension is lifted, and other accounts were not affected", async () => {
    const [other, mine] = await Promise.all([freshCustomer(), freshCustomer()]);
    expect((await mine.call("GET", "/instance")).status).toBe(200);
    await suspendUser(bindings, mine.owner.user.id);
    expect((await mine.call("GET", "/instance")).status).toBe(403);
    expect((await other.call("GET", "/instance")).status).toBe(200);
    await activateUser(bindings, mine.owner.user.id, Date.now());
    expect((await mine.call("GET", "/instance")).status).toBe(200);
  });
});
