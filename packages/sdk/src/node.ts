// Serves a `fetch` handler with Node's own HTTP server, for `webhookHandler` in a plain Node program or in Express.
/// <reference types="node" />
import type { IncomingMessage, ServerResponse } from "node:http";

/** Far larger than any event. The limit keeps strangers who find the address from filling the memory. */
const LARGEST_BYTES = 4 * 1024 * 1024;

type Handler = (request: Request) => Promise<Response>;
type Options = {
  /** Receives the errors that your code throws. The gateway gets 500 and tries again. The default is `console.error`. */
  onError?: (error: unknown) => void;
};

/** `createServer(nodeListener(webhookHandler({ … }))).listen(3000)`. In Express, mount it before any parser that reads the body. */
export function nodeListener(handle: Handler, { onError = console.error }: Options = {}) {
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      const response = await answer(handle, incoming);
      const body = Buffer.from(await response.arrayBuffer());
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
    } catch (error) {
      onError(error);
      outgoing.writeHead(500).end();
    }
  };
}

async function answer(handle: Handler, incoming: IncomingMessage): Promise<Response> {
  if (incoming.method !== "POST") return new Response("Only POST", { status: 405, headers: { allow: "POST" } });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LARGEST_BYTES) return new Response("Too large", { status: 413, headers: { connection: "close" } });
  }
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return handle(new Request("http://localhost/", { method: "POST", headers, body: Buffer.concat(chunks) }));
}
