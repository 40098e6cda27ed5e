// Runs the packages/conformance cases against the TypeScript SDK.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import paths from "@gateway/conformance/paths.json" with { type: "json" };
import retries from "@gateway/conformance/retries.json" with { type: "json" };
import signatures from "@gateway/conformance/signatures.json" with { type: "json" };
import { AccountClient, ConnectionClient } from "@gateway/sdk";
import { ended } from "./ended.ts";
import { verifyAccountWebhook, verifyConnectionWebhook } from "@gateway/sdk/webhooks";

type Scripted = "none" | { status: number; code?: string; retry_after?: string };

afterEach(() => vi.useRealTimers());

type Vector = (typeof signatures)[number];

/** The event's type, or the error's name. */
async function outcome(verified: Promise<{ type: string }>): Promise<string> {
  return verified.then(
    ({ type }) => type,
    (error: Error) => error.name,
  );
}

async function outcomes({ scheme, secrets, headers, body }: Vector): Promise<string[]> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => typeof value === "string"));
  const verify = scheme === "connection" ? verifyConnectionWebhook : verifyAccountWebhook;
  const request = new Request("https://shop.example/hook", { method: "POST", headers: sent, body });
  const ofRequest = scheme === "connection" ? verifyConnectionWebhook(request, secrets) : verifyAccountWebhook(request, secrets);
  return Promise.all([
    outcome(verify(body, sent, secrets)),
    outcome(verify(new TextEncoder().encode(body), sent, secrets)),
    outcome(ofRequest),
  ]);
}

describe("signatures", () => {
  it.each(signatures)("$scheme: $name", async (vector) => {
    vi.useFakeTimers({ now: vector.now * 1000, toFake: ["Date"] });
    const expected = vector.accepted ? vector.type : "WebhookError";
    expect(await outcomes(vector)).toEqual([expected, expected, expected]);
  });

  it("says how to get the raw body when it is given a parsed one", async () => {
    const parsed = { id: "msg_1" } as unknown as string;
    await expect(verifyConnectionWebhook(parsed, {}, "whsec_AA==")).rejects.toThrow(/raw/);
    const request = new Request("https://shop.example/hook", { method: "POST", body: "{}" });
    await request.text();
    await expect(verifyConnectionWebhook(request, "whsec_AA==")).rejects.toThrow(/read before/);
  });
});

describe("ids in paths", () => {
  it.each(paths)("$name", async ({ id, segment }) => {
    const seen: string[] = [];
    const fetch = (async (url: URL) => {
      seen.push(url.pathname);
      return Response.json({ data: null });
    }) as unknown as typeof globalThis.fetch;
    const options = { apiKey: "svc_x", baseUrl: "https://app.example.com", fetch };
    const calls = async (): Promise<void> => {
      await new ConnectionClient(options).messages.get(id);
      await new AccountClient(options).instance(id).chats.get("c");
    };
    const ends = await calls().then(
      () => "ok",
      (error: Error) => error.name,
    );
    expect(ends).toBe(segment === null ? "GatewayError" : "ok");
    expect(seen).toEqual(segment === null ? [] : [`/api/v1/messages/${segment}`, `/api/instances/${segment}/chats/c`]);
  });
});

describe("retries", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));

  it.each(retries as { name: string; answers: Scripted[]; attempts: number; ends: string }[])(
    "$name",
    async ({ answers, attempts, ends }) => {
      const seen: (string | null)[] = [];
      const left = [...answers];
      const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
        seen.push(new Headers(init?.headers).get("idempotency-key"));
        const answer = left.shift();
        if (answer === undefined || answer === "none") throw new TypeError("fetch failed");
        const { status, code, retry_after } = answer;
        const body = code === undefined ? "<html>" : JSON.stringify({ error: { codigo: code, mensagem: "…" } });
        return new Response(status === 200 ? "{}" : body, {
          status,
          headers: retry_after === undefined ? {} : { "retry-after": retry_after },
        });
      };
      const client = new ConnectionClient({ apiKey: "svc_x", baseUrl: "https://app.example.com", fetch: fetch as typeof globalThis.fetch });
      const call = client.messages.sendText({ to: "5511900000002", text: "Olá" }).then(
        () => "ok",
        (error: Error) => error.constructor.name,
      );
      expect(await ended(call)).toBe(ends);
      expect(seen).toHaveLength(attempts);
      expect(new Set(seen).size).toBe(1);
      expect(seen[0]).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});
