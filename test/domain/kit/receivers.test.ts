// Receivers of webhooks, as a customer would write them: each accepts what `gateway listen` forwards, and nothing that was altered.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { nodeListener } from "@gateway/sdk/node";
import { webhookHandler } from "@gateway/sdk/webhooks";
import { forward } from "#root/packages/cli/src/forwarding/forward.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const EVENT = { id: "msg_1", body: JSON.stringify({ id: "msg_1", type: "message.received", data: { text: "Olá 😀\u2028" } }) };
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listening(listener: ReturnType<typeof nodeListener>): Promise<string> {
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
    expect(await forward(EVENT, { url, secret: SECRET, headers: [] })).toMatchObject({ status: 200 });
    expect(await forward(EVENT, { url, secret: `whsec_${Buffer.alloc(32, 8).toString("base64")}`, headers: [] })).toMatchObject({
      status: 401,
    });
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
