// Receivers of webhooks, as a customer would write them: each accepts what `gateway listen` forwards, and nothing that was altered.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { OpenApi } from "@gateway/codegen/document.ts";
import { nodeListener } from "@gateway/sdk/node";
import { verifyAccountWebhook, verifyConnectionWebhook, webhookHandler } from "@gateway/sdk/webhooks";
import { forward } from "#root/packages/cli/src/forwarding/forward.ts";
import type { Scheme } from "#root/packages/cli/src/forwarding/signing.ts";
import { snippet } from "#root/src/guides/guides.ts";
import { importJavaScript, runShell } from "../../support/documentation/snippets.ts";
import { python, pythonIsMissing } from "../../support/kit/python.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const EVENT = { id: "msg_1", body: JSON.stringify({ id: "msg_1", type: "message.received", data: { text: "Olá 😀\u2028" } }) };
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closers.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

describe("nodeListener", () => {
  it("gives the handler the raw body and headers, and writes its answer", async () => {
    const texts: (string | null)[] = [];
    const handler = webhookHandler({ secret: SECRET, on: { "message.received": ({ data }) => texts.push(data.text) } });
    const url = await listening(nodeListener(handler));
    expect(await forward(EVENT, { url, scheme: "connection", secret: SECRET, headers: [] })).toMatchObject({ status: 200 });
    const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
    expect(await forward(EVENT, { url, scheme: "connection", secret: other, headers: [] })).toMatchObject({ status: 401 });
    expect(texts).toEqual(["Olá 😀\u2028"]);
  });

  it("answers 500 if the program fails, and passes the error on", async () => {
    const onError = vi.fn();
    const broken = nodeListener(() => Promise.reject(new Error("my own")), { onError });
    expect((await fetch(await listening(broken), { method: "POST", body: "{}" })).status).toBe(500);
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error("my own"));
  });

  it("refuses other methods and bodies that no event has", async () => {
    const handle = vi.fn(async () => new Response());
    const url = await listening(nodeListener(handle));
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(url, { method: "POST", body: "x".repeat(5 * 1024 * 1024) })).status).toBe(413);
    expect(handle).not.toHaveBeenCalled();
  });
});

type Forwarded = { scheme: Scheme; headers: Record<string, string>; body: string; isGenuine: boolean };

/**
 * Each documented event of an API, plus a text that encodings often break, as `gateway listen` posts them; then the same with another text.
 */
async function forwardedOf(scheme: Scheme): Promise<Forwarded[]> {
  const { webhooks } = JSON.parse(readFileSync(`docs/openapi/${scheme}.json`, "utf8")) as OpenApi;
  const examples = Object.values(webhooks).map(({ post }) => (post.requestBody.content["application/json"] as { example: object }).example);
  const seen: Forwarded[] = [];
  const server = await listening(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const headers = incoming.headers as Record<string, string>;
    seen.push({ scheme, headers, body: Buffer.concat(chunks).toString(), isGenuine: true });
    outgoing.end();
  });
  for (const [at, example] of [...examples, { text: 'Olá 😀\u2028\u0000\\"' }].entries()) {
    const body = JSON.stringify({ ...example, id: `msg_${at}` });
    await forward({ id: `msg_${at}`, body }, { url: server, scheme, secret: SECRET, headers: ["X-Env: test"] });
  }
  expect(seen).toHaveLength(examples.length + 1);
  return [...seen, ...seen.map((each) => ({ ...each, body: each.body.replace("msg_", "msg-"), isGenuine: false }))];
}

type Check = (forwarded: Forwarded) => boolean | Promise<boolean>;

async function holds(act: () => unknown): Promise<boolean> {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}

describe.each(["connection", "account"] as const)("an event of the %s API that `gateway listen` forwards", (scheme) => {
  let all: Forwarded[];
  beforeAll(async () => {
    all = await forwardedOf(scheme);
  });

  /** For each delivery, whether the receiver was right about it. */
  async function verdicts(check: Check): Promise<boolean[]> {
    return Promise.all(all.map(async (each) => (await check(each)) === each.isGenuine));
  }

  it("is accepted by the SDK, and by the library standardwebhooks if it uses that scheme", async () => {
    const verify = scheme === "connection" ? verifyConnectionWebhook : verifyAccountWebhook;
    const sdk: Check = ({ body, headers }) => holds(() => verify(body, headers, SECRET));
    const standard: Check = ({ body, headers }) => holds(() => new Webhook(SECRET).verify(body, headers));
    for (const check of scheme === "connection" ? [sdk, standard] : [sdk]) expect(await verdicts(check)).not.toContain(false);
  });

  it("is accepted by the guide's JavaScript", async () => {
    type Verify = { isGenuine(headers: unknown, body: string, secret: string): boolean };
    const { isGenuine } = await importJavaScript<Verify>(scheme, "verify");
    expect(await verdicts(({ body, headers }) => isGenuine(headers, body, SECRET))).not.toContain(false);
  });

  it.skipIf(pythonIsMissing() !== null)("is accepted by the guide's Python and by the Python client", () => {
    const code = `${snippet(scheme, "verify", "py", "")}
import json, sys
from gateway_sdk.webhooks import verify_${scheme}_webhook, WebhookError

def accepted(headers, body):
    try:
        return verify_${scheme}_webhook(body, headers, "${SECRET}") is not None
    except WebhookError:
        return False

print(json.dumps([[is_genuine(each["headers"], each["body"].encode(), "${SECRET}"), accepted(each["headers"], each["body"])] for each in json.load(sys.stdin)]))
`;
    const { code: status, out, err } = python(["-c", code], { input: JSON.stringify(all) });
    expect(status, err).toBe(0);
    expect(JSON.parse(out)).toEqual(all.map(({ isGenuine }) => [isGenuine, isGenuine]));
  });

  it.skipIf(spawnSync("openssl", ["version"]).status !== 0)("is accepted by the guide's shell commands", { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "receiver-"));
    const half = all.length / 2;
    try {
      // Only a few, because each takes several processes; `npm run kit:verify` checks all of them in Go.
      for (const { headers, body, isGenuine } of [0, half - 1, half, -1].flatMap((at) => all.at(at) ?? [])) {
        writeFileSync(join(folder, "body.json"), body);
        const [WEBHOOK_ID = "", WEBHOOK_TIMESTAMP = "", WEBHOOK_SIGNATURE = ""] = ["id", "timestamp", "signature"].map(
          (name) => headers[`webhook-${name}`],
        );
        const SIGNATURE = headers["x-service-signature"] ?? "";
        const env = { WEBHOOK_SECRET: SECRET, WEBHOOK_ID, WEBHOOK_TIMESTAMP, WEBHOOK_SIGNATURE, SIGNATURE };
        expect(await runShell({ api: scheme, url: "", env }, "verify", folder)).toBe(isGenuine ? "genuine" : "forged");
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
