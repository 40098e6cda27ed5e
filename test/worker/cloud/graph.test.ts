// Calls to Graph: what they contain, and what each response means.
import { afterEach, describe, expect, it, vi } from "vitest";
import { createGraph, type Graph, type GraphCall, type Transport } from "#root/durable-objects/connection/cloud/graph.ts";

const CREDENTIALS = { accessToken: "EAAtoken", appSecret: "app secret" };
/** HMAC-SHA256 of the token with the secret, computed with openssl. */
const PROOF = "45d01b22e41760765f46f22741a1fd88b32e5298348051854f19e66883ca21bf";
const BASE = "https://graph.test";

type Asked = { url: string; init: RequestInit };

function graphOf(transport: Transport, credentials: typeof CREDENTIALS | null = CREDENTIALS): Graph {
  return createGraph({ baseUrl: BASE, version: "v23.0", credentials: () => credentials, transport, connection: "c1" });
}

/** A Graph that answers every call with the same response and records requests. */
function answering(answer: () => Response): { graph: Graph; asked: Asked[] } {
  const asked: Asked[] = [];
  const graph = graphOf((url, init) => {
    asked.push({ url, init });
    return Promise.resolve(answer());
  });
  return { graph, asked };
}

const refusal = (status: number, error: object) => () => Response.json({ error }, { status });
const READ: GraphCall = { method: "GET", path: "/123" };

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("a call", () => {
  it("carries the token, and proof of the app's secret", async () => {
    const { graph, asked } = answering(() => Response.json({ success: true }));
    const answer = await graph.call({ method: "POST", path: "/123/messages", query: { fields: "a,b" }, json: { to: "+1" } });
    expect(answer).toEqual({ kind: "answered", json: { success: true } });
    const [{ url, init }] = asked as [Asked];
    expect(url).toBe(`${BASE}/v23.0/123/messages?fields=a%2Cb&appsecret_proof=${PROOF}`);
    expect(init).toMatchObject({ method: "POST", redirect: "manual", body: '{"to":"+1"}' });
    expect(init.headers).toMatchObject({ authorization: "Bearer EAAtoken", "content-type": "application/json" });
  });

  it("may carry the app's own token, without a proof", async () => {
    const { graph, asked } = answering(() => Response.json({}));
    await graph.call({ ...READ, authorization: "Bearer 55|app secret" });
    expect(asked[0]?.url).toBe(`${BASE}/v23.0/123`);
    await graph.call({ ...READ, authorization: "OAuth EAAtoken" });
    expect(asked[1]?.url).toContain("appsecret_proof");
  });

  it("is refused without credentials, before any request", async () => {
    const transport = vi.fn<Transport>();
    const graph = graphOf(transport, null);
    expect(await graph.call(READ)).toMatchObject({ kind: "refused", error: { code: 0 } });
    expect(await graph.bytes(`${BASE}/file`, 1_000)).toEqual({ kind: "refused", status: 401 });
    expect(transport).not.toHaveBeenCalled();
  });
});

describe("an answer", () => {
  it("is a refusal if it contains Graph's error, whatever its status", async () => {
    const error = { message: "(#131047) late", type: "OAuthException", code: 131_047, error_subcode: 7, fbtrace_id: "AfZ_3-q" };
    for (const status of [200, 400, 503]) {
      const { graph } = answering(refusal(status, error));
      expect(await graph.call(READ)).toEqual({
        kind: "refused",
        json: { error },
        status,
        error: { code: 131_047, subcode: 7, type: "OAuthException", traceId: "AfZ_3-q" },
      });
    }
  });

  it.each([
    ["an error without the envelope", () => new Response("busy", { status: 502 })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://elsewhere.test" } })],
    ["no JSON", () => new Response("<html>")],
    ["JSON that is no object", () => Response.json("ok")],
  ])("is inconclusive if it is %s", async (_what, answer) => {
    expect(await answering(answer).graph.call(READ)).toEqual({ kind: "lost" });
  });

  it("is inconclusive if it never arrives", async () => {
    const graph = graphOf(() => Promise.reject(new Error("network connection lost")));
    expect(await graph.call(READ)).toEqual({ kind: "lost" });
  });

  it("is awaited until its deadline, then abandoned", async () => {
    vi.useFakeTimers();
    const signals: AbortSignal[] = [];
    const graph = graphOf((_url, { signal }) => {
      if (signal) signals.push(signal);
      return new Promise(() => undefined);
    });
    const answer = graph.call({ ...READ, timeoutMs: 90_000 });
    await vi.advanceTimersByTimeAsync(89_999);
    expect(signals[0]?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toEqual({ kind: "lost" });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("is logged by its codes and Meta's trace, without its texts", async () => {
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    const said = {
      message: "(#131030) Recipient Ana Lima not allowed",
      error_data: { details: "Ana" },
      error_user_title: "Ana",
      error_user_msg: "Ana",
    };
    const fields = { code: 131_030, error_subcode: 7, type: "OAuthException", fbtrace_id: "AfZ_3-q" };
    for (const error of [
      { ...said, ...fields },
      { ...said, ...fields, type: "Ana Lima", fbtrace_id: "to Ana" },
    ])
      await answering(refusal(400, error)).graph.call({ ...READ, path: "/123/messages" });
    const logged = { event: "cloud.graph_failed", call: "messages", reason: "refused", status: 400, code: 131_030, subcode: 7 };
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ ...logged, type: "OAuthException", fbtrace_id: "AfZ_3-q" }),
      expect.objectContaining({ ...logged, type: null, fbtrace_id: null }),
    ]);
    for (const word of ["Ana", "Recipient", "EAAtoken"]) expect(lines.join()).not.toContain(word);
  });
});

describe("a file", () => {
  it("is fetched with the token from Meta's hosts only, including redirects", async () => {
    const asked: string[] = [];
    const graph = graphOf((url) => {
      asked.push(url);
      const location = new URL(url).searchParams.get("to");
      return Promise.resolve(location === null ? new Response("bytes") : new Response(null, { status: 302, headers: { location } }));
    });
    const to = (location: string) => `https://lookaside.fbsbx.com/a?to=${encodeURIComponent(location)}`;
    expect(await graph.bytes(to("https://scontent.fbcdn.net/b"), 60_000)).toMatchObject({ kind: "answered" });
    expect(await graph.bytes(`${BASE}/file`, 60_000)).toMatchObject({ kind: "answered" });
    asked.length = 0;
    const elsewhere = [
      "https://evilfbsbx.com/a",
      "http://lookaside.fbsbx.com/a",
      "https://fbcdn.net.evil.test/",
      "https://fbcdn.net:8443/",
      "x",
    ];
    for (const url of elsewhere) expect(await graph.bytes(url, 60_000)).toEqual({ kind: "lost" });
    expect(asked).toEqual([]);
    expect(await graph.bytes(to("https://evil.test/"), 60_000)).toEqual({ kind: "lost" });
    expect(asked).toHaveLength(1);
  });

  it("is reported as refused with status 404 if it is gone", async () => {
    const { graph } = answering(() => new Response(null, { status: 404 }));
    expect(await graph.bytes(`${BASE}/file`, 60_000)).toEqual({ kind: "refused", status: 404 });
  });
});
