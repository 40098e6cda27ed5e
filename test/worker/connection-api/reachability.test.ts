// Reachability and `pacing.first_contacts` through the routes of both APIs (docs/use/reachability.md, "Advice").
import { describe, expect, it } from "vitest";
import { freshCustomer } from "../support/customer.ts";
import { callsWith } from "../support/accounts.ts";

const CONTACT = "5511987654321";

describe("GET /contacts/{contactId}/reachability", () => {
  it("answers the same on both APIs, by phone number and by contact id", async () => {
    const customer = await freshCustomer();
    const account = callsWith(customer.owner.headers);
    const answers = [];
    for (const id of [CONTACT, `${CONTACT}@c.us`]) {
      const response = await customer.call("GET", `/contacts/${id}/reachability`);
      answers.push([response.status, ((await response.json()) as { data: unknown }).data]);
      const { status, body } = await account("GET", `/instances/${customer.connection.instance_id}/contacts/${id}/reachability`);
      answers.push([status, body.data]);
    }
    const expected = {
      exists: null,
      chat: "first_contact",
      last_inbound_at: null,
      session: "disconnected",
      restriction: null,
      new_chats: null,
      window_until: null,
      advice: "wait",
      why: "connection",
    };
    expect(answers).toEqual(answers.map(() => [200, expected]));
  });

  it("refuses an id that is not a person's, and names it", async () => {
    const customer = await freshCustomer();
    const account = callsWith(customer.owner.headers);
    for (const id of ["120363000000000000@g.us", "bia", "123"]) {
      const response = await customer.call("GET", `/contacts/${id}/reachability`);
      const { error } = (await response.json()) as { error: { detalhes: { campo: string }[] } };
      expect([id, response.status, error.detalhes.map(({ campo }) => campo)]).toEqual([id, 400, ["contactId"]]);
      const { status } = await account("GET", `/instances/${customer.connection.instance_id}/contacts/${id}/reachability`);
      expect([id, status]).toEqual([id, 400]);
    }
    const other = await account("GET", `/instances/${crypto.randomUUID()}/contacts/${CONTACT}/reachability`);
    expect(other.status).toBe(404);
  });
});

describe("pacing.first_contacts", () => {
  it("is `send` at first, takes three values, and names itself in a refusal", async () => {
    const customer = await freshCustomer();
    const account = callsWith(customer.owner.headers);
    const path = `/instances/${customer.connection.instance_id}`;
    expect((await account("GET", path)).body.data.settings.pacing.first_contacts).toBe("send");
    const changed = await account("PATCH", path, { settings: { pacing: { first_contacts: "hold" } } });
    expect([changed.status, changed.body.data.settings.pacing]).toMatchObject([200, { first_contacts: "hold", reply_only: false }]);
    const refused = await account("PATCH", path, { settings: { pacing: { first_contacts: "never" } } });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining("settings.pacing.first_contacts")]);
  });
});
