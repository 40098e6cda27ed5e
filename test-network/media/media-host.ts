// The HTTPS server for uploads and downloads (docs/internals/wire-protocol.md, "Media").
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, type Readable } from "node:stream";
import type { Network } from "../network-state.ts";
import type { TlsIdentity } from "../security/tls.ts";
import type { MediaTrouble } from "./blobs.ts";

const DRIP_MS = 100;

export function createMediaHost(network: Network<"blobs" | "stats">, { keyPem, certPem }: TlsIdentity, spare = false): Server {
  return createServer({ key: keyPem, cert: certPem }, (request, response) => {
    serve(network, spare ? null : network.blobs.trouble, request, response).catch(() => response.destroy());
  });
}

async function serve(
  network: Network<"blobs" | "stats">,
  trouble: MediaTrouble | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://media");
  if (request.method === "POST" && trouble?.kind === "cut") {
    network.blobs.cut();
    return void request.socket.destroy();
  }
  if (request.method === "POST") return upload(network, request, response, searchParams);
  if (request.method === "GET" || request.method === "HEAD") return download(network, trouble, pathname, request, response);
  response.writeHead(405).end();
}

async function upload(
  network: Network<"blobs" | "stats">,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  if (!query.has("auth")) return void response.writeHead(401).end();
  const path = await network.blobs.putStream(request, "enc");
  network.stats.uploads++;
  const url = network.blobs.urlOf(path);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ url, direct_path: path, handle: path }));
}

function download(
  network: Network<"blobs" | "stats">,
  trouble: MediaTrouble | null,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  network.stats.open_downloads++;
  response.on("close", () => network.stats.open_downloads--);
  if (trouble !== null && trouble.kind !== "drip" && trouble.kind !== "cut") return refuse(response, trouble);
  const size = network.blobs.sizeOf(path);
  if (size === undefined) return void response.writeHead(network.blobs.statusOf(path)).end();
  const range = rangeOf(request.headers.range, size);
  const body = request.method === "HEAD" ? undefined : network.blobs.open(path, range);
  const length = range ? range.end - range.start + 1 : size;
  const headers = { "content-type": "application/octet-stream", "content-length": String(length), "accept-ranges": "bytes" };
  if (range) response.writeHead(206, { ...headers, "content-range": `bytes ${range.start}-${range.end}/${size}` });
  else response.writeHead(200, headers);
  if (!body) return void response.end();
  network.stats.downloads++;
  if (trouble?.kind === "cut") {
    network.blobs.cut();
    return void response.write(Buffer.alloc(Math.ceil(length / 2)), () => response.destroy());
  }
  pipeline(trouble === null ? body : dripping(body), response, () => {});
}

function refuse(response: ServerResponse, trouble: Exclude<MediaTrouble, { kind: "drip" | "cut" }>): void {
  if (trouble.kind === "down") response.writeHead(503).end();
  else if (trouble.kind === "forbidden") response.writeHead(403).end();
  else if (trouble.kind === "redirect") response.writeHead(302, { location: trouble.location }).end();
  // For `silent`, the connection stays open but gets no response.
}

/** Sends one byte at a time, until the client disconnects. */
async function* dripping(body: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of body as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      yield Buffer.of(byte);
      await new Promise((resolve) => setTimeout(resolve, DRIP_MS));
    }
  }
}

function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(header ?? "") ?? [];
  if (from === undefined || Number(from) >= size) return undefined;
  return { start: Number(from), end: Math.min(to ? Number(to) : size - 1, size - 1) };
}
