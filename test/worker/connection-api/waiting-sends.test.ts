// Waiting sends through the routes of both APIs (docs/use/waiting-sends.md, "Times").
import { describe, expect, it } from "vitest";
import { freshCustomer } from "../support/customer.ts";
import { callsWith } from "../support/accounts.ts";

const CONTACT = "5511987654321";
const AT = "2099-01-15T09:00:00-03:00";
const soon = () => new Date(Date.now() + 3_600_000).toISOString();

describe("a send with `delivery`", () => {
  it("is accepted with 202 on both APIs while the number is disconnected, and replayed for its Idempotency-Key", async () => {
    const customer = await freshCustomer();
    const account = callsWith(customer.owner.headers);
    const at = soon();
    const body = { to: CONTACT, text: "Olá", delivery: { at } };
    const key = { "idempotency-key": crypto.randomUUID() };
    const first = await customer.call("POST", "/messages/text", body, key);
    const accepted = (await first.json()) as { message_id: string };
    const wholeSecond = new Date(Math.floor(Date.parse(at) / 1000) * 1000).toISOString();
    expect([first.status, accepted]).toMatchObject([202, { status: "waiting", at: wholeSecond }]);
    const again = await customer.call("POST", "/messages/text", body, key);
    expect([again.status, again.headers.get("idempotent-replayed"), await again.json()]).toEqual([202, "true", accepted]);
    const other = await account("POST", `/instances/${customer.connection.instance_id}/messages/text`, { ...body, delivery: {} });
    expect([other.status, other.body.data]).toMatchObject([202, { status: "waiting" }]);
    const listed = (await (await customer.call("GET", "/messages/waiting")).json()) as { data: { message_id: string }[] };
    expect(listed.data).toMatchObject([{ waits_for: "connection" }, { message_id: accepted.message_id, waits_for: "time", to: CONTACT }]);
    const without = await customer.call("POST", "/messages/text", { to: CONTACT, text: "Olá" });
    expect(without.status).toBe(409);
  });

  it("is refused for a status post, which goes out at once", async () => {
    const customer = await freshCustomer();
    const refused = await customer.call("POST", "/status/text", { text: "Olá", delivery: { at: soon() } });
    const { error } = (await refused.json()) as { error: { detalhes: { campo: string }[] } };
    expect([refused.status, error.detalhes.map(({ campo }) => campo)]).toEqual([400, ["delivery"]]);
  });

  it("is changed and cancelled", async () => {
    const customer = await freshCustomer();
    const at = soon();
    const sent = await customer.call("POST", "/messages/text", { to: CONTACT, text: "Olá", delivery: { at } });
    const { message_id: id } = (await sent.json()) as { message_id: string };
    const changed = await customer.call("PATCH", `/messages/waiting/${id}`, { text: "Bom dia", until: at });
    expect([changed.status, (await changed.json()) as object]).toMatchObject([400, { error: { codigo: "requisicao_invalida" } }]);
    const text = await customer.call("PATCH", `/messages/waiting/${id}`, { text: "Bom dia" });
    expect([text.status, await text.json()]).toMatchObject([200, { data: { text: "Bom dia" } }]);
    expect((await customer.call("PATCH", "/messages/waiting/3EB0FFFFFFFFFFFFFFFF", { text: "x" })).status).toBe(404);
    const counts = [];
    for (const path of [`/messages/waiting/${id}`, `/messages/waiting/${id}`, "/messages/waiting"]) {
      counts.push(((await (await customer.call("DELETE", path)).json()) as { data: { count: number } }).data.count);
    }
    expect(counts).toEqual([1, 0, 0]);
  });

  it.each([
    ["delivery.at", { at: "2020-01-01T00:00:00Z" }],
    ["delivery.at", { at: AT }],
    ["delivery.at", { at: "2030-01-15T09:00:00" }],
    ["delivery.at", { at: "amanhã" }],
    ["delivery.until", { until: "2020-01-01T00:00:00Z" }],
    ["delivery.until", { until: AT }],
    ["delivery.when", { when: AT }],
  ])("is refused with 400 that names %s for %j", async (field, delivery) => {
    const customer = await freshCustomer();
    const refused = await customer.call("POST", "/messages/text", { to: CONTACT, text: "Olá", delivery });
    const { error } = (await refused.json()) as { error: { detalhes: { campo: string; motivo: string }[] } };
    expect([refused.status, error.detalhes.map(({ campo }) => campo)]).toEqual([400, [field]]);
    expect(error.detalhes[0]?.motivo).not.toMatch(/must|Entrada inválida/);
    expect((await (await customer.call("GET", "/messages/waiting")).json()) as object).toMatchObject({ data: [] });
  });
});
