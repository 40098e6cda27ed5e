// The n8n nodes against a running gateway: operations, "Retry on Fail" after a cut, and the trigger from activation to deactivation.
import { afterAll, beforeAll, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { type CuttingProxy, startCuttingProxy } from "../../support/kit/cutting-proxy.ts";
import { type Credentials, type Fields, hookContext, webhookContext } from "../../support/n8n/contexts.ts";
import { type ActionNode, gatewayNode, gatewayTrigger, type TriggerNode } from "../../support/n8n/nodes.ts";
import { runNode, runWithRetries } from "../../support/n8n/reader.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const SHOP = "5511970000121";
const CUSTOMER = "5511970000122";
const WITHIN_MS = 120_000;

let sandbox: SharedSandbox;
let receiver: Receiver;
let node: ActionNode;
let trigger: TriggerNode;
let credentials: Credentials;
let instance: { mode: string; value: string };
let proxy: CuttingProxy;
let cuts = 0;

beforeAll(async () => {
  [node, trigger] = [gatewayNode(), gatewayTrigger()];
  [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
  const ready = sandbox.ready();
  credentials = { baseUrl: ready.base_url, apiKey: ready.demo.api_key };
  const shop = await pairConnection(ready, SHOP, { name: "Loja" });
  await phones(ready).create(CUSTOMER, "Bia");
  const { body } = await shop.owner.call("GET", `/connections/${shop.id}`);
  instance = { mode: "list", value: body.data.instance_id as string };
  proxy = await startCuttingProxy(credentials.baseUrl, () => cuts > 0 && cuts-- > 0);
});
afterAll(async () => {
  proxy.close();
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

let executions = 0;
function run(parameters: Fields, more: object = {}) {
  executions += 1;
  return runNode(node, { credentials, parameters: { instance, ...parameters }, executionId: `${executions}`, ...more });
}

it("the node sends, reads pages, changes a chat, and calls any other route", async () => {
  const to = { mode: "phone", value: CUSTOMER };
  const texts = ["um", "dois", "três"];
  const items = texts.map((text) => ({ text }));
  const sends = await run({ resource: "messages", operation: "sendText", to, text: '={{ $json["text"] }}' }, { items });
  expect(sends.map(({ json }) => json["status"])).toEqual(["sent", "sent", "sent"]);
  const chat = { mode: "list", value: sends[0]?.json["chat_id"] };
  const all = await run({ resource: "chats", operation: "listChatMessages", chat, returnAll: true });
  expect(all.map(({ json }) => json["text"])).toEqual(expect.arrayContaining(texts));
  expect(await run({ resource: "chats", operation: "listChatMessages", chat, limit: 2 })).toHaveLength(2);
  expect(await run({ resource: "chats", operation: "markChatUnread", chat })).toHaveLength(1);
  const filters = { unread: true };
  expect((await run({ resource: "chats", operation: "listChats", returnAll: true, filters }))[0]?.json["chat_id"]).toBe(chat.value);
  expect((await run({ resource: "contacts", operation: "checkNumber", phone: CUSTOMER }))[0]?.json).toMatchObject({ exists: true });
  const path = `/api/instances/${instance.value}/calls?limit=5`;
  expect(await run({ resource: "api", operation: "call", method: "GET", path })).toEqual([]);

  const { searchInstances, searchChats } = node.methods.listSearch;
  const list = hookContext({ instance }, {}, credentials, "");
  expect((await searchInstances!.call(list, "Loja")).results).toContainEqual({ name: "Loja", value: instance.value });
  expect((await searchChats!.call(list)).results.map(({ value }) => value)).toContain(chat.value);
});

it('"Retry on Fail" after a cut connection sends one message', async () => {
  const through = { ...credentials, baseUrl: proxy.url };
  const parameters = { instance, resource: "messages", operation: "sendText", to: { mode: "phone", value: CUSTOMER }, text: "uma vez" };
  cuts = 2;
  const [sent] = await runWithRetries(node, { credentials: through, parameters, executionId: "cut" }, 5);
  expect(cuts).toBe(0);
  expect(sent?.json).toMatchObject({ status: "sent" });
  const inbox = await phones(sandbox.ready()).inbox(CUSTOMER);
  expect(inbox.filter(({ text }) => text === "uma vez")).toHaveLength(1);
});

it("the trigger makes its endpoint, starts once per verified delivery, remakes a lost endpoint, and removes it", async () => {
  const parameters = { instance, events: ["message.received"], ownMessages: false, groups: true, types: [] };
  const data: Fields = {};
  const hooks = hookContext(parameters, data, credentials, receiver.url);
  const { checkExists, create, delete: remove } = trigger.webhookMethods.default;
  const endpoints = async (): Promise<Fields[]> => {
    const found = await run({ resource: "api", operation: "call", method: "GET", path: "/api/webhooks" });
    return found.map(({ json }) => json).filter(({ url }) => url === receiver.url);
  };

  expect(await checkExists.call(hooks)).toBe(false);
  expect(await create.call(hooks)).toBe(true);
  expect(await checkExists.call(hooks)).toBe(true);
  const firstSecret = data["secret"];

  await phones(sandbox.ready()).send(CUSTOMER, { to: SHOP, text: "para o fluxo" });
  const arrival = await receiver.waitFor("the message", WITHIN_MS, ({ data }) => data?.text === "para o fluxo");
  const headers = arrival.headers as Record<string, string>;
  const deliver = async (body: string) => {
    const { context, answered } = webhookContext(parameters, data, { body, headers });
    const { workflowData } = await trigger.webhook.call(context);
    return workflowData?.[0]?.[0]?.json ?? answered.status;
  };
  expect(await deliver(arrival.body.replace("fluxo", "fluxx"))).toBe(401);
  expect(await deliver(arrival.body)).toMatchObject({ event: "message.received", data: { text: "para o fluxo" } });
  expect(await deliver(arrival.body)).toBe(200);

  // Somebody deletes the endpoint.
  await run({ resource: "api", operation: "call", method: "DELETE", path: `/api/webhooks/${String(data["endpointId"])}` });
  expect(await checkExists.call(hooks)).toBe(false);
  await create.call(hooks);
  expect(data["secret"]).not.toBe(firstSecret);

  // n8n forgets the secret: a new endpoint replaces the old one.
  delete data["secret"];
  expect(await checkExists.call(hooks)).toBe(false);
  await create.call(hooks);
  expect((await endpoints()).map(({ id }) => id)).toEqual([data["endpointId"]]);

  // The node's settings change while the workflow is inactive.
  const changed = hookContext({ ...parameters, ownMessages: true }, data, credentials, receiver.url);
  expect(await checkExists.call(changed)).toBe(false);
  await create.call(changed);
  expect(await endpoints()).toMatchObject([{ events: ["message.received", "message.sent"], retry_count: 5 }]);

  expect(await remove.call(hooks)).toBe(true);
  expect(await endpoints()).toEqual([]);
  expect(data).not.toHaveProperty("secret");
});
