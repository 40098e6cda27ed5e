// Which deliveries start a workflow, and which never do.
import { createHmac } from "node:crypto";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Delivery, type Fields, hookContext, webhookContext } from "../../support/n8n/contexts.ts";
import { gatewayTrigger, type TriggerNode } from "../../support/n8n/nodes.ts";

const SECRET = "a secret of this node";
const MUTATIONS = 1_000;
const ALL = { events: ["message.received", "group.joined"], ownMessages: false, groups: true, types: [] };

let trigger: TriggerNode;
beforeAll(() => {
  trigger = gatewayTrigger();
});

function bodyOf(
  id: string,
  event = "message.received",
  data: Fields = { chat_id: "5511900000002@c.us", type: "text", text: "Olá 😀" },
): string {
  return JSON.stringify({ id, event, instance_id: "i", timestamp: "2026-11-22T02:24:09.253Z", data });
}

function signed(body: string, secret = SECRET): Delivery {
  return { body, headers: { "x-service-signature": createHmac("sha256", secret).update(body).digest("hex") } };
}

/** Returns whether the workflow started, or else the response. */
async function deliver(delivery: Delivery, data: Fields = { secret: SECRET }, parameters: Fields = ALL): Promise<Fields[] | number | null> {
  const { context, answered } = webhookContext(parameters, data, delivery);
  const { workflowData } = await trigger.webhook.call(context);
  return workflowData?.[0]?.map(({ json }) => json) ?? answered.status;
}

describe("the endpoint", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is retried for hours, and one with fewer retries is created again", async () => {
    let stored: Fields = {};
    const fetch = async (url: string, { method, body }: RequestInit): Promise<Response> => {
      if (method === "POST") stored = { id: "e", is_active: true, retry_count: 3, ...(JSON.parse(body as string) as Fields) };
      return Response.json({ data: method === "GET" && !url.endsWith("/e") ? [] : stored });
    };
    vi.stubGlobal("fetch", fetch);
    const data: Fields = {};
    const hooks = hookContext(
      { ...ALL, instance: "" },
      data,
      { baseUrl: "https://app.example.com", apiKey: "key" },
      "https://n8n.example/hook",
    );
    const { checkExists, create } = trigger.webhookMethods.default;
    await create.call(hooks);
    expect(stored["retry_count"]).toBe(5);
    expect(await checkExists.call(hooks)).toBe(true);
    stored = { ...stored, retry_count: 3 };
    expect(await checkExists.call(hooks)).toBe(false);
  });
});

describe("a delivery", () => {
  it("starts the workflow with the whole event if its signature is valid", async () => {
    expect(await deliver(signed(bodyOf("a")))).toEqual([JSON.parse(bodyOf("a"))]);
  });

  it.each([
    { what: "without a signature", headers: {} },
    { what: "with an empty signature", headers: { "x-service-signature": "" } },
    { what: "signed with another secret", headers: signed(bodyOf("a"), "another").headers },
    { what: "signed with an empty secret", headers: signed(bodyOf("a"), "").headers },
    {
      what: "with a signature that continues",
      headers: { "x-service-signature": `${signed(bodyOf("a")).headers["x-service-signature"]}00` },
    },
    { what: "with the signature of another body", headers: signed(bodyOf("b")).headers },
  ])("gets 401 for $what", async ({ headers }) => {
    expect(await deliver({ body: bodyOf("a"), headers })).toBe(401);
  });

  it.each([{}, { secret: "" }])("gets 401 while the node has no secret: %j", async (data) => {
    expect(await deliver(signed(bodyOf("a"), ""), data)).toBe(401);
  });

  it(`gets 401 with any of ${MUTATIONS} altered bytes`, async () => {
    const { body, headers } = signed(bodyOf("a"));
    for (let n = 0; n < MUTATIONS; n += 1) {
      const bytes = Buffer.from(body);
      const at = n % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ (1 + (Math.floor(n / bytes.length) % 255));
      expect(await deliver({ body: bytes, headers })).toBe(401);
    }
  });

  it("gets 400 if it is signed but is no event", async () => {
    expect(await deliver(signed("[]"))).toBe(400);
    expect(await deliver(signed("no JSON"))).toBe(400);
  });

  it("is answered and starts nothing if it comes again", async () => {
    const data = { secret: SECRET };
    expect(await deliver(signed(bodyOf("a")), data)).toHaveLength(1);
    expect(await deliver(signed(bodyOf("b")), data)).toHaveLength(1);
    expect(await deliver(signed(bodyOf("a")), data)).toBe(200);
    expect(JSON.stringify(data).length).toBeLessThan(200);
  });

  it("is remembered among the last 500", async () => {
    const data: Fields = { secret: SECRET };
    for (let n = 0; n < 600; n += 1) await deliver(signed(bodyOf(`e${n}`)), data);
    expect(data["seen"]).toHaveLength(500);
    expect(await deliver(signed(bodyOf("e150")), data)).toBe(200);
  });
});

describe("the selected event types", () => {
  const group = { chat_id: "120363891415272024@g.us", type: "text" };
  it.each([
    { ticks: { groups: false }, event: "message.received", data: group, starts: false },
    { ticks: { groups: true }, event: "message.received", data: group, starts: true },
    { ticks: {}, event: "message.sent", data: { chat_id: "5511900000002@c.us", type: "text" }, starts: false },
    { ticks: { ownMessages: true }, event: "message.sent", data: { chat_id: "5511900000002@c.us", type: "text" }, starts: true },
    {
      ticks: { types: ["image", "video"] },
      event: "message.received",
      data: { chat_id: "5511900000002@c.us", type: "text" },
      starts: false,
    },
    {
      ticks: { types: ["image", "video"] },
      event: "message.received",
      data: { chat_id: "5511900000002@c.us", type: "image" },
      starts: true,
    },
    { ticks: { types: ["image"], groups: false }, event: "group.joined", data: { group_id: "120363891415272024@g.us" }, starts: true },
    { ticks: {}, event: "instance.qr", data: null, starts: false },
  ])("start the workflow or not for $ticks: $event of $data.chat_id with $data.type: $starts", async ({ ticks, event, data, starts }) => {
    const answer = await deliver(signed(bodyOf("a", event, data as Fields)), { secret: SECRET }, { ...ALL, ...ticks });
    expect(Array.isArray(answer)).toBe(starts);
  });
});
