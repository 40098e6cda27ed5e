// A webhook receiver on loopback. It records every request, and rejects any body that is not a documented event or contains an internal id.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { problemOfBody } from "./events/event-bodies.ts";
import { internalIdsIn } from "./internal-ids.ts";

export type Received = { path: string; headers: IncomingHttpHeaders; body: string; at: number };

/** Responds to a request; an empty 200 by default. */
export type Reply = (received: Received, response: ServerResponse) => void;

type Bodies = "events" | "any";

export class Receiver {
  readonly received: Received[] = [];
  /** Caches parsed bodies, because a polling test must leave the receiver time to respond. */
  readonly #parsed = new WeakMap<Received, unknown>();
  readonly #server: Server;
  readonly #bodies: Bodies;
  readonly #waiting = new Set<() => void>();
  reply: Reply = (_received, response) => response.writeHead(200).end();

  private constructor(bodies: Bodies) {
    this.#bodies = bodies;
    this.#server = createServer((request, response) => {
      // This request comes from a stale client that once knew this port; it is not a delivery.
      if (request.method !== "POST") return void response.writeHead(405).end();
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const received = {
          path: request.url ?? "",
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
          at: performance.now(),
        };
        this.received.push(received);
        this.reply(received, response);
        for (const wake of this.#waiting) wake();
      });
    });
  }

  /** `any`: accepts bodies other than events, for a benchmark's baseline. */
  static async start(bodies: Bodies = "events"): Promise<Receiver> {
    const receiver = new Receiver(bodies);
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Bodies parsed as JSON. */
  events<T>(): T[] {
    return this.received.map((each) => this.#bodyOf(each) as T);
  }

  /** Resolves to the first matching request, past or future; fails with `what` after `withinMs`. */
  async waitFor(what: string, withinMs: number, fits: (body: Record<string, any>, received: Received) => boolean): Promise<Received> {
    const find = () => this.received.find((each) => fits(this.#bodyOf(each) as Record<string, any>, each));
    const deadline = performance.now() + withinMs;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      const left = deadline - performance.now();
      if (left <= 0) {
        const seen = this.events<{ type?: string; event?: string }>()
          .map(({ type }) => type ?? "?")
          .join(", ");
        throw new Error(`not delivered within ${withinMs} ms: ${what}. Delivered: ${seen}`);
      }
      await this.#next(left);
    }
  }

  /** Rejects if any received body was not a documented event or contained an internal network id, so the test fails. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Bodies are scanned only now, so that measurements exclude the scan.
    const leaks = this.received.flatMap(({ body }) => internalIdsIn(body));
    if (leaks.length > 0) throw new Error(`delivered with internal ids: ${leaks.join("; ")}`);
    if (this.#bodies === "any") return;
    const problems = this.received.map(({ body }) => problemOfBody(body)).filter((problem) => problem !== null);
    if (problems.length > 0) throw new Error(`${problems.length} undocumented bodies, the first: ${problems[0]}`);
  }

  #bodyOf(received: Received): unknown {
    if (!this.#parsed.has(received)) this.#parsed.set(received, JSON.parse(received.body));
    return this.#parsed.get(received);
  }

  #next(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      this.#waiting.add(wake);
    });
  }
}
