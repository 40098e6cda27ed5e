// Activity and request log from the real objects, through the dashboard's API.
import { describe, expect, it } from "vitest";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { env } from "cloudflare:workers";
import { type Customer, freshCustomer } from "../support/customer.ts";
import { gateway } from "../support/gateway.ts";

const ask = gateway();

const read = async <T>(customer: Customer, path: string): Promise<T> => {
  const answer = await ask(`/api/dashboard/connections${path}`, { headers: customer.owner.headers });
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as T;
};

type Logged = {
  id: string;
  method: string;
  route: string;
  status: number;
  code: string | null;
  caller: { kind: string; name: string | null; key_id: string | null };
  ms: number;
};
type Page = { data: Logged[]; next_cursor: string | null };

const logs = (customer: Customer, query = "") => read<Page>(customer, `/${customer.connection.id}/logs${query}`);
const brief = ({ data }: Page) => data.map(({ method, route, status, code, caller }) => [method, route, status, code, caller.kind]);

describe("the request log", () => {
  it("has the calls of keys and the dashboard, with each response's id, but no dashboard reads", async () => {
    const customer = await freshCustomer();
    const found = await customer.call("GET", "/instance");
    const sent = await customer.call("POST", "/messages/text", { phone: "5511987654321", text: "a private text" });
    const unknown = await customer.call("GET", "/nothing");
    await read(customer, `/${customer.connection.id}/keys`);
    const page = await logs(customer);
    expect(brief(page)).toEqual([
      ["GET", "/api/v1/*", 404, "route_not_found", "key"],
      ["POST", "/api/v1/messages/text", sent.status, expect.any(String), "key"],
      ["GET", "/api/v1/instance", 200, null, "key"],
      ["POST", "/api/dashboard/connections/{id}/keys", 201, null, "dashboard"],
    ]);
    expect(sent.status).toBeGreaterThanOrEqual(400);
    expect(page.data.slice(0, 3).map(({ id }) => id)).toEqual([unknown, sent, found].map(({ headers }) => headers.get("x-request-id")));
    expect(page.data[0]?.caller).toEqual({ kind: "key", key_id: customer.keyId, name: "Sistema" });
    expect(JSON.stringify(page)).not.toMatch(/private|55119|svc_/);
    const { data } = await read<{ data: Logged }>(customer, `/${customer.connection.id}/logs/${page.data[1]?.id}`);
    expect(data).toEqual(page.data[1]);
  });

  it("filters and pages, and groups refusals", async () => {
    const customer = await freshCustomer();
    for (let call = 0; call < 3; call += 1) await customer.call("GET", "/instance");
    for (let call = 0; call < 2; call += 1) await customer.call("POST", "/messages/text", {});
    expect((await logs(customer, "?status=2xx")).data).toHaveLength(4);
    expect((await logs(customer, "?status=400&code=validation_error")).data).toHaveLength(2);
    expect((await logs(customer, `?key=${customer.keyId}`)).data).toHaveLength(5);
    expect((await logs(customer, "?key=dashboard")).data).toHaveLength(1);
    expect((await logs(customer, `?route=${encodeURIComponent("/api/v1/instance")}`)).data).toHaveLength(3);
    const first = await logs(customer, "?limit=4");
    const second = await logs(customer, `?limit=4&cursor=${first.next_cursor}`);
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([4, 2, null]);
    const { data } = await read<{ data: object }>(customer, `/${customer.connection.id}/logs/summary`);
    expect(data).toMatchObject({
      total: 6,
      refusals: [
        { method: "POST", route: "/api/v1/messages/text", status: 400, code: "validation_error", count: 2, last: first.data[0]?.id },
      ],
      routes: ["/api/dashboard/connections/{id}/keys", "/api/v1/instance", "/api/v1/messages/text"],
      callers: [
        { kind: "key", key_id: customer.keyId, name: "Sistema" },
        { kind: "dashboard", key_id: null, name: null },
      ],
    });
    const path = `/api/dashboard/connections/${customer.connection.id}/logs`;
    for (const query of ["?status=abc", "?cursor=x", "?limit=0"])
      expect((await ask(path + query, { headers: customer.owner.headers })).status).toBe(400);
    expect((await ask(`${path}/${crypto.randomUUID()}`, { headers: customer.owner.headers })).status).toBe(404);
  });

  it("has every refusal: of the subscription, of the limits", async () => {
    const customer = await freshCustomer();
    await Promise.all(Array.from({ length: 70 }, () => customer.call("GET", "/instance")));
    const terms = { plan: "test", status: "canceled", maxInstances: 10, currentPeriodEnd: null } as const;
    await setSubscription(env, customer.owner.user.id, terms, Date.now());
    await customer.call("POST", "/messages/text", { phone: "5511987654321", text: "hello" });
    const { data } = await read<{ data: { refusals: { code: string; count: number }[] } }>(
      customer,
      `/${customer.connection.id}/logs/summary`,
    );
    expect(data.refusals.map(({ code, count }) => [code, count])).toEqual([
      ["repeated_read", 10],
      ["subscription_required", 1],
    ]);
  });
});

describe("activity", () => {
  it("is shown by the hour, and as ticks in the list", async () => {
    const customer = await freshCustomer();
    const { data } = await read<{ data: { at: string; minutes: Record<string, number> }[] }>(
      customer,
      `/${customer.connection.id}/activity?hours=3`,
    );
    expect(data).toHaveLength(3);
    expect(data.at(-1)).toMatchObject({ sent: 0, received: 0, failed: 0, delivered: 0 });
    const list = await read<{ data: { activity?: { status: string | null }[] }[] }>(customer, "?activity=24");
    expect(list.data[0]?.activity).toHaveLength(24);
    expect((await read<{ data: object[] }>(customer, "")).data[0]).not.toHaveProperty("activity");
    const path = `/api/dashboard/connections/${customer.connection.id}/activity?hours=169`;
    expect((await ask(path, { headers: customer.owner.headers })).status).toBe(400);
  });
});
