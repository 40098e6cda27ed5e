// Serves the public port. Passes requests on to the worker, with the client's address.
import { randomUUID } from "node:crypto";
import { Agent, createServer, type IncomingMessage, request as send, type Server, type ServerResponse } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import { englishText, portugueseText } from "@gateway/domain/failures/texts.ts";
import { API_VERSION } from "@gateway/domain/product.ts";
import { clientOf, passedOn, type Proxies } from "./headers.ts";

/** `fault` says why the gateway cannot store anything, or null. The worker's own health check stores nothing and would not notice. */
type Target = { port: number; secret: string; proxies: Proxies; fault: () => string | null };

const HEALTH_PATH = "/api/health";

/** Shorter than the runtime's idle timeout of 5 s. Otherwise, a request could be sent on a connection that is about to close. */
const IDLE_MS = 2_000;
/** Longer than proxies keep an idle connection (Caddy: 2 minutes), so that none sends a request on a connection that this server closes. */
const CLIENT_IDLE_MS = 150_000;
const RETRY_AFTER_SECONDS = 2;

/** Rejects if the port cannot be used. */
export async function openFront(listen: { host: string; port: number }, target: Target): Promise<Server> {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const server = createServer({ keepAliveTimeout: CLIENT_IDLE_MS }, (request, response) => forward(request, response, target, agent));
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => upgrade(request, socket, head, target));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen.port, listen.host, resolve);
  });
  return server;
}

function optionsFor(request: IncomingMessage, { port, secret, proxies }: Target) {
  const client = clientOf(request.socket.remoteAddress ?? "", request.headersDistinct, proxies);
  return {
    host: "127.0.0.1",
    port,
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: passedOn(request.rawHeaders, client, secret),
    setDefaultHeaders: false,
  };
}

function forward(request: IncomingMessage, response: ServerResponse, target: Target, agent: Agent): void {
  const fault = request.url === HEALTH_PATH ? target.fault() : null;
  if (fault !== null) return unhealthy(response, fault);
  const options = optionsFor(request, target);
  const hasBody = request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
  if (request.headers["transfer-encoding"] !== undefined) options.headers.push("Transfer-Encoding", "chunked");
  const upstream = send({ ...options, agent });
  upstream.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutHopHeaders(answer.rawHeaders));
    // Sends the headers of a stream before its first event.
    response.flushHeaders();
    pipeline(answer, response, () => undefined);
  });
  upstream.on("error", ({ code }: NodeJS.ErrnoException) => {
    request.unpipe(upstream);
    // If the worker may already have received the request, this only closes the connection, because a 503 would mean that nothing was done.
    if (code !== "ECONNREFUSED" || response.headersSent) return void response.destroy();
    const headers = { "content-type": "application/json", "retry-after": String(RETRY_AFTER_SECONDS), connection: "close" };
    response.writeHead(503, headers).end(JSON.stringify(unavailable(request.url ?? "")));
  });
  response.on("close", () => upstream.destroy());
  if (hasBody) request.pipe(upstream);
  else upstream.end();
}

/** The same response that the worker's health route returns for an invalid setting (src/api/service/routes.ts). */
function unhealthy(response: ServerResponse, problem: string): void {
  const body = { status: "misconfigured", version: API_VERSION, time: new Date().toISOString(), problems: [{ name: "DATA_DIR", problem }] };
  const headers = { "content-type": "application/json", "cache-control": "no-store", "x-request-id": randomUUID() };
  response.writeHead(503, headers).end(JSON.stringify(body));
}

/** The error has the format of the API that was called (docs/use/apis.md, "Errors"). */
function unavailable(path: string) {
  const failure = { code: "unavailable" } as const;
  if (path.startsWith("/api/v1/")) return { error: { codigo: FAILURE_RESPONSES.unavailable.codigo, mensagem: portugueseText(failure) } };
  return { error: { code: failure.code, message: englishText(failure) }, request_id: randomUUID() };
}

/** Bridges on other machines, and the dashboard's streams, use WebSockets. */
function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, target: Target): void {
  const options = optionsFor(request, target);
  options.headers.push("Connection", "Upgrade", "Upgrade", request.headers.upgrade ?? "websocket");
  const upstream = send({ ...options, agent: false });
  upstream.on("upgrade", (answer, other, first) => {
    socket.write(headOf(answer, answer.rawHeaders));
    if (first.length > 0) socket.write(first);
    if (head.length > 0) other.write(head);
    pipeline(socket, other, socket, () => {
      socket.destroy();
      other.destroy();
    });
  });
  upstream.on("response", (answer) => {
    socket.write(headOf(answer, [...withoutHopHeaders(answer.rawHeaders), "Connection", "close"]));
    pipeline(answer, socket, () => undefined);
  });
  upstream.on("error", () => socket.destroy());
  socket.on("error", () => upstream.destroy());
  socket.on("close", () => upstream.destroy());
  upstream.end();
}

function headOf({ statusCode, statusMessage }: IncomingMessage, rawHeaders: readonly string[]): string {
  const lines: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, "", ""].join("\r\n");
}

/** Hop-by-hop headers are removed, because Node frames the response itself. */
function withoutHopHeaders(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (!["connection", "keep-alive", "transfer-encoding"].includes(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
