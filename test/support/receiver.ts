// A webhook receiver on loopback: remembers every request as it came, and lets none pass that is no documented event or holds an internal
// id.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { problemOfBody } from "./events/event-bodies.ts";
import { internalIdsIn } from "./internal-ids.ts";

export type Received = { path: string; headers: IncomingHttpHeaders; body: string; at: number };

/** Answers a request; the default is an empty 200. */
export type Reply = (received: Received, response: ServerResponse) => void;

type Bodies = "events" | "any";

export class Receiver {
  readonly received: Received[] = [];
  /** What has been parsed: a test that looks again and again must leave the receiver time to answer. */
  readonly #parsed = new WeakMap<Received, unknown>();
  readonly #server: Server;
  readonly #bodies: Bodies;
  readonly #waiting = new Set<() => void>();
  reply: Reply = (_received, response) => response.writeHead(200).end();

  private constructor(bodies: Bodies) {
    this.#bodies = bodies;
    this.#server = createServer((request, response) => {
      // Somebody else's client, at a port that it knew from before: no delivery.
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

  /** `any`: what a benchmark's baseline posts is no event. */
  static async start(bodies: Bodies = "events"): Promise<Receiver> {
    const receiver = new Receiver(bodies);
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Bodies as JSON. */
  events<T>(): T[] {
    return this.received.map((each) => this.#bodyOf(each) as T);
  }

  /** The first request that fits, past or future; fails with `what` after `withinMs`. */
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

  /** Rejects when any body ever received was no documented event or held an internal id of the network, so that its user fails. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Only now: what is measured meanwhile must not wait for it.
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
