// The RECEIVERS binding, for the hosts in WEBHOOK_HOSTS. Node sends the requests, because workerd's rules cannot restrict ports or names.
import { type Request, Response } from "miniflare";
import { isListed } from "@gateway/domain/egress/outgoing-url.ts";

/** Longer than the longest webhook timeout. */
const TIMEOUT_MS = 40_000;
/** The worker shows only the beginning of a response. */
const MAX_ANSWER_BYTES = 65_536;
const FAILED = "x-gateway-unreachable";
const NEVER_PASSED = /^(host|connection|content-length|transfer-encoding|expect|mf-.*|cf-.*)$/;
/** `fetch` has already decoded the response, and the runtime frames it itself. */
const NEVER_RETURNED = new Set(["content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive", FAILED]);

/** Like `fetch`, throws if the host could not connect. */
export const RECEIVERS_SCRIPT = `export default {
  async fetch(request, env) {
    const response = await env.HOST.fetch(request);
    if (response.headers.has("${FAILED}")) throw new Error("the receiver cannot be reached");
    return response;
  },
};`;

export function postToListed(listed: readonly string[]): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      // The worker checks this too, but a mistake there must not give access to this machine's network.
      if (!isListed(new URL(request.url), listed)) throw new Error("not listed");
      const answer = await fetch(request.url, {
        method: request.method,
        headers: [...request.headers].filter(([name]) => !NEVER_PASSED.test(name)),
        body: await request.arrayBuffer(),
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const headers = [...answer.headers].filter(([name]) => !NEVER_RETURNED.has(name));
      return new Response(answer.body === null ? null : ReadableStream.from(beginning(answer.body)), { status: answer.status, headers });
    } catch {
      return new Response(null, { status: 502, headers: { [FAILED]: "1" } });
    }
  };
}

async function* beginning(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = MAX_ANSWER_BYTES;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
