// HTTP/1.1 over keep-alive sockets with little overhead, because the load generator shares the machine with the measured system.
import { connect, type Socket } from "node:net";

export type Answer = { status: number; bytes: number };

/** One socket that carries one request at a time. */
class HttpConnection {
  readonly #socket: Socket;
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;
  #received: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the connection was closed")));
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => resolve(new HttpConnection(socket)));
      socket.once("error", reject);
    });
  }

  /** False once the server has closed the socket, as servers do after a few seconds of inactivity. */
  get usable(): boolean {
    return this.#socket.writable;
  }

  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  end(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const answer = whole(this.#received);
    if (answer === null) return;
    this.#received = Buffer.alloc(0);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}

/** Returns the response once it is complete, and null until then. */
function whole(received: Buffer): Answer | null {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const head = received.toString("latin1", 0, headEnd).toLowerCase();
  const status = Number(head.slice(9, 12));
  const body = received.length - headEnd - 4;
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (length !== undefined) return body >= Number(length) ? { status, bytes: body } : null;
  const isChunked = head.includes("transfer-encoding: chunked");
  if (isChunked) return received.subarray(-5).equals(LAST_CHUNK) ? { status, bytes: body } : null;
  return { status, bytes: body };
}

const LAST_CHUNK = Buffer.from("0\r\n\r\n");

export class HttpPool {
  readonly #port: number;
  readonly #free: HttpConnection[];

  private constructor(port: number, connections: HttpConnection[]) {
    this.#port = port;
    this.#free = connections;
  }

  static async open(port: number, size: number): Promise<HttpPool> {
    return new HttpPool(port, await Promise.all(Array.from({ length: size }, () => HttpConnection.open(port))));
  }

  /** Requires a free connection: callers must stay within the pool's size. */
  async send(request: Buffer): Promise<Answer> {
    const free = this.#free.pop();
    if (free === undefined) throw new Error("more concurrent requests than connections");
    const connection = free.usable ? free : await HttpConnection.open(this.#port);
    const answer = await connection.send(request);
    this.#free.push(connection);
    return answer;
  }

  close(): void {
    for (const connection of this.#free) connection.end();
  }
}

/** A request's bytes, written once and sent many times. */
export function requestBytes(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = ""): Buffer {
  const lines = Object.entries({
    host: "127.0.0.1",
    ...headers,
    ...(body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) }),
  });
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`);
}
