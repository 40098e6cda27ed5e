// The published SDK against a running gateway.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as Sdk from "@gateway/sdk";
import type * as SdkWebhooks from "@gateway/sdk/webhooks";
import { python, pythonIsMissing } from "../../support/kit/python.ts";
import { freshPhone, type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const LARGEST_TARBALL_BYTES = 60 * 1024;
const SHOP = freshPhone();

let sandbox: SharedSandbox;
let shop: PairedConnection;
let receiver: Receiver;
let folder: string;
let sdk: typeof Sdk;
let webhooks: typeof SdkWebhooks;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sdk-"));
  execFileSync("npm", ["run", "--silent", "sdk:build", "--", folder]);
  sdk = (await import(join(folder, "lib/index.js"))) as typeof Sdk;
  webhooks = (await import(join(folder, "lib/webhooks.js"))) as typeof SdkWebhooks;
  [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
  shop = await pairConnection(sandbox.ready(), SHOP, { name: "Loja" });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

describe("the published package", () => {
  it("has no dependencies, contains its licence, and fits its size", () => {
    execFileSync("npm", ["pack", "--silent"], { cwd: folder });
    expect(readFileSync(join(folder, "LICENSE"), "utf8")).toBe(readFileSync("packages/LICENSE", "utf8"));
    const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
    expect(statSync(join(folder, tarball)).size).toBeLessThan(LARGEST_TARBALL_BYTES);
  });

  it("sends, reads pages, and verifies the webhook of the reply", async () => {
    const { demo, app_url } = sandbox.ready();
    const webhook = await shop.owner.call("PUT", `/connections/${shop.id}/webhook`, { url: receiver.url });
    const gateway = new sdk.ConnectionClient({ apiKey: shop.key, baseUrl: app_url });
    const sent = await gateway.messages.sendText({ to: demo.contact!.phone, text: "Olá do SDK" });
    expect(sent).toMatchObject({ status: "sent", to: demo.contact!.phone });
    if (sent.status !== "sent") throw new Error("the send waits");

    const echo = await receiver.waitFor("the echo", 60_000, ({ type, data }) => type === "message.received" && data.text === "Olá do SDK");
    const event = await webhooks.verifyConnectionWebhook(echo.body, echo.headers, webhook.body.data.secret as string);
    expect(event).toMatchObject({ type: "message.received", data: { from: demo.contact!.phone, text: "Olá do SDK" } });
    await expect(webhooks.verifyConnectionWebhook(`${echo.body} `, echo.headers, webhook.body.data.secret as string)).rejects.toThrow(
      /No signature/,
    );

    const texts: (string | null)[] = [];
    for await (const message of gateway.chats.listMessages(sent.chat_id, { limit: 1 })) texts.push(message.text);
    expect(texts).toEqual(["Olá do SDK", "Olá do SDK"]);
  });

  it("tells in advance whether a message would be sent, and lets one wait, changes and cancels it", async () => {
    const { demo, app_url } = sandbox.ready();
    const gateway = new sdk.ConnectionClient({ apiKey: shop.key, baseUrl: app_url });
    const to = demo.contact!.phone;
    expect(await gateway.contacts.getReachability(to)).toMatchObject({ exists: true, session: "connected", advice: "send" });
    const delivery = { at: new Date(Date.now() + 3_600_000).toISOString() };
    const { message_id } = await gateway.messages.sendText({ to, text: "Bom dia!", delivery });
    await gateway.messages.updateWaitingSend(message_id, { text: "Bom dia! Já estamos abertos." });
    const listed: Record<string, unknown>[] = [];
    for await (const send of gateway.messages.listWaitingSends()) listed.push(send);
    expect(listed).toMatchObject([{ message_id, text: "Bom dia! Já estamos abertos.", waits_for: "time" }]);
    expect(await gateway.messages.cancelWaitingSend(message_id)).toEqual({ count: 1 });
  });

  it("throws errors by the required action", async () => {
    const { app_url } = sandbox.ready();
    const stranger = new sdk.ConnectionClient({ apiKey: "svc_unknown", baseUrl: app_url });
    await expect(stranger.instance.get()).rejects.toBeInstanceOf(sdk.AuthenticationError);
    const gateway = new sdk.ConnectionClient({ apiKey: shop.key, baseUrl: app_url });
    await expect(gateway.messages.get("3EB0NOTHING0000000000")).rejects.toBeInstanceOf(sdk.NotFoundError);
    await expect(gateway.messages.sendText({ to: "0", text: "x" })).rejects.toBeInstanceOf(sdk.InvalidRequestError);
  });
});

const missing = pythonIsMissing();

it.skipIf(missing !== null)(`the Python client's first call sends and reads${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  const { demo, app_url } = sandbox.ready();
  const [, readme = ""] = /```python\n([^]*?)```/.exec(readFileSync("packages/python/README.md", "utf8")) ?? [];
  const call = readme
    .replace("https://app.example.com", app_url)
    .replace("5511900000002", demo.contact!.phone)
    .replace("Olá!", "Olá do Python");
  const { code, out, err } = python(["-c", call], { env: { API_KEY: shop.key } });
  expect(code, err).toBe(0);
  expect(out).toContain(`${SHOP} Olá do Python\n`);
});
