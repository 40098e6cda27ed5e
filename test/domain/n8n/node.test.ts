// The node's description, and the hooks that run before each request.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Fields } from "../../support/n8n/contexts.ts";
import { type ActionNode, gatewayNode, type Property } from "../../support/n8n/nodes.ts";
import { runNode } from "../../support/n8n/reader.ts";

type Seen = { method: string; path: string; headers: Fields; body: unknown };

const INSTANCE = { mode: "id", value: "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b" };
const TO = { mode: "phone", value: "5511900000002" };
const TEXT = { resource: "messages", operation: "sendText", instance: INSTANCE, to: TO, text: '=Olá {{ $json["name"] }}' };

let node: ActionNode;
let server: Server;
let credentials: { baseUrl: string; apiKey: string };
let seen: Seen[];
let answer: { status: number; body: unknown; headers?: Record<string, string> };

beforeAll(async () => {
  node = gatewayNode();
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    seen.push({
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: body === "" ? null : JSON.parse(body),
    });
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  credentials = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, apiKey: "key" };
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  seen = [];
  answer = { status: 200, body: { data: { message_id: "3EB0" } } };
});

describe("the description", () => {
  const operations = (): Property[] => node.description.properties.filter(({ name }) => name === "operation");

  it("has over 40 operations by name, each with its own route of the document, and a call of any route", () => {
    const options = operations().flatMap(({ options }) => options ?? []);
    expect(options.length).toBeGreaterThan(40);
    expect(new Set(options.map(({ value }) => value)).size).toBe(options.length);
    const document = JSON.parse(readFileSync("docs/openapi/account.json", "utf8")) as { paths: Record<string, Record<string, object>> };
    const routes = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "*")}`),
    );
    const own = options.filter(({ value }) => value !== "call").map(({ routing }) => routing?.request);
    for (const request of own)
      expect(routes).toContain(
        `${String(request?.["method"])} ${String(request?.["url"])
          .replace(/^=/, "")
          .replaceAll(/\{\{.*?\}\}/g, "*")}`,
      );
  });

  it("shows no two properties of one name for the same operation", () => {
    for (const option of operations().flatMap(({ options }) => options ?? [])) {
      const shown = node.description.properties.filter(({ displayOptions }) => displayOptions?.show?.["operation"]?.includes(option.value));
      expect(new Set(shown.map(({ name }) => name)).size, String(option.value)).toBe(shown.length);
    }
  });

  it("has no dependencies, and the MIT licence", () => {
    const about = JSON.parse(readFileSync("packages/n8n/package.json", "utf8")) as Fields;
    expect(about).toMatchObject({ license: "MIT", peerDependencies: { "n8n-workflow": "*" } });
    expect(about).not.toHaveProperty("dependencies");
    expect(readFileSync("packages/n8n/package-lock.json", "utf8")).not.toContain('"resolved"');
  });
});

describe("a request", () => {
  it("has the fields of the item, the credential, and one key per item", async () => {
    await runNode(node, { credentials, parameters: TEXT, items: [{ name: "Ana" }, { name: "Bia" }] });
    expect(seen.map(({ body }) => body)).toEqual(
      expect.arrayContaining([
        { chat_id: "5511900000002", text: "Olá Ana" },
        { chat_id: "5511900000002", text: "Olá Bia" },
      ]),
    );
    expect(seen[0]).toMatchObject({
      method: "POST",
      path: `/api/instances/${INSTANCE.value}/messages/text`,
      headers: { "x-api-key": "key" },
    });
    expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(2);
  });

  it("keeps its idempotency key if n8n repeats it, and has another in another execution, run or operation", async () => {
    const keys = async (more: object): Promise<unknown> => {
      await runNode(node, { credentials, parameters: TEXT, ...more });
      return seen.at(-1)?.headers["idempotency-key"];
    };
    const first = await keys({});
    expect(first).toMatch(/^n8n-[0-9a-f]{40}$/);
    expect(await keys({})).toBe(first);
    expect(await keys({ executionId: "2" })).not.toBe(first);
    expect(await keys({ runIndex: 1 })).not.toBe(first);
    expect(await keys({ parameters: { resource: "instances", operation: "getInstance", instance: INSTANCE } })).toBeUndefined();
  });

  it.each([
    { path: "https://evil.example/api/me" },
    { path: "//evil.example/api" },
    { path: "/api/../admin" },
    { path: "/api/%2e%2e/admin" },
    { path: "/api/me\\..\\x" },
    { path: "/api//me" },
    { path: "/other" },
    { path: "" },
  ])("never leaves the API: $path", async ({ path }) => {
    const parameters = { resource: "api", operation: "call", method: "GET", path };
    await expect(runNode(node, { credentials, parameters })).rejects.toThrow(/not a path of the API/);
    expect(seen).toEqual([]);
  });

  it.each([{ value: ".." }, { value: "" }])("refuses a chat id that reaches another route: '$value'", async ({ value }) => {
    const parameters = { resource: "chats", operation: "markChatRead", instance: INSTANCE, chat: { mode: "id", value } };
    await expect(runNode(node, { credentials, parameters })).rejects.toThrow(/not a path of the API/);
  });

  it("sends lists, further fields and a file of the item", async () => {
    const poll = { resource: "messages", operation: "sendPoll", instance: INSTANCE, to: TO, question: "?", options: "Sim\n Não \n" };
    await runNode(node, {
      credentials,
      parameters: { ...poll, additionalFields: { selectable_count: 2, delivery_at: "2030-01-15T17:00:00Z" } },
    });
    expect(seen[0]?.body).toEqual({
      chat_id: TO.value,
      question: "?",
      options: ["Sim", "Não"],
      selectable_count: 2,
      delivery: { at: "2030-01-15T17:00:00.000Z" },
    });
    const image = { resource: "messages", operation: "sendImage", instance: INSTANCE, to: TO, fileFrom: "binary" };
    const binary = { bytes: Buffer.from("png"), mimeType: "image/png", fileName: "a.png" };
    await runNode(node, { credentials, parameters: image, binary });
    expect(seen[1]?.body).toEqual({ chat_id: TO.value, media: { base64: "cG5n", mimetype: "image/png", filename: "a.png" } });
  });
});

describe("the time of a send", () => {
  const at = async (delivery_at: unknown, more: object = {}): Promise<unknown> => {
    await runNode(node, { credentials, parameters: { ...TEXT, additionalFields: { delivery_at } }, offset: "-03:00", ...more });
    return (seen[0]?.body as { delivery: { at: string } } | undefined)?.delivery.at;
  };

  it.each([
    { what: "from n8n's date picker", given: "2030-01-15T14:00:00" },
    { what: "typed with a space", given: "2030-01-15 14:00:00" },
    { what: "with its own offset", given: "2030-01-15T17:00:00Z" },
    { what: "in milliseconds", given: "={{ 1894726800000 }}" },
    { what: "as a date of JavaScript", given: "={{ new Date(1894726800000) }}" },
  ])("is in the workflow's time zone, $what", async ({ given }) => {
    expect(await at(given)).toBe("2030-01-15T17:00:00.000Z");
  });

  it("is refused before the request if it is no time", async () => {
    await expect(at("soon")).rejects.toThrow(/Invalid time value/);
    expect(seen).toEqual([]);
  });
});

describe("an answer", () => {
  it("says what to do after an unknown outcome, and that a retry is safe", async () => {
    answer = { status: 424, body: { error: { code: "send_outcome_unknown", message: "The message may have been sent." } } };
    const failure = await runNode(node, { credentials, parameters: TEXT }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: "The message may have been sent.", httpCode: "424" });
    expect((failure as { description: string }).description).toMatch(/^send_outcome_unknown \(424\).*Retry on Fail is safe/);
  });

  it("has the code, the fields and the wait of any other failure", async () => {
    const error = { code: "rate_limited", message: "Slower", details: [{ field: "to" }] };
    answer = { status: 429, body: { error }, headers: { "retry-after": "7" } };
    const failure = await runNode(node, { credentials, parameters: TEXT }).catch((error: unknown) => error);
    expect((failure as { description: string }).description).toBe(
      'rate_limited (429) Wait 7 seconds before the next attempt. [{"field":"to"}]',
    );
  });

  it("becomes one item each if it is a list", async () => {
    answer = { status: 200, body: { data: [{ label_id: "1" }, { label_id: "2" }] } };
    const items = await runNode(node, { credentials, parameters: { resource: "labels", operation: "listLabels", instance: INSTANCE } });
    expect(items.map(({ json }) => json)).toEqual([{ label_id: "1" }, { label_id: "2" }]);
  });
});
