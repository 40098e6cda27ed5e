// An edge in front of a gateway. It forwards requests or answers them with its own page, as Cloudflare does for challenges and rate limits.
import { once } from "node:events";
import { createServer, request as requestOf, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";

const PAGE = "<!doctype html><title>Attention Required!</title><h1>Sorry, you have been blocked</h1>";

export class Edge {
  /** Responses to the next requests; later requests are forwarded. */
  answers: { status: number; body?: string }[] = [];
  /** The `User-Agent` of every request, undefined if missing. */
  readonly agents: (string | undefined)[] = [];
  readonly #gateway: URL;
  readonly #server = createServer((request, response) => this.#serve(request, response));

  constructor(gateway: string) {
    this.#gateway = new URL(gateway);
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.agents.push(request.headers["user-agent"]);
    const answer = this.answers.shift();
    if (answer !== undefined) {
      response.writeHead(answer.status, { "content-type": "text/html" }).end(answer.body ?? PAGE);
      return;
    }
    const { method, headers } = request;
    const passed = requestOf(new URL(request.url ?? "/", this.#gateway), { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    request.pipe(passed);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.agents.push(request.headers["user-agent"]);
    socket.on("error", () => undefined);
    const answer = this.answers.shift();
    if (answer !== undefined) {
      const body = answer.body ?? PAGE;
      socket.end(`HTTP/1.1 ${answer.status} Edge\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    const passed = connect(Number(this.#gateway.port), this.#gateway.hostname);
    passed.on("error", () => socket.destroy());
    const headers = Array.from({ length: request.rawHeaders.length / 2 }, (_, n) => request.rawHeaders.slice(2 * n, 2 * n + 2).join(": "));
    passed.write(`${request.method} ${request.url} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
    passed.write(head);
    passed.pipe(socket).pipe(passed);
  }
}
