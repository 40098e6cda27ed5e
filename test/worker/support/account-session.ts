// An account's instance with a session, and the server that receives its webhooks.
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { FakeBridge, type FakeSession } from "../fakes/bridge.ts";
import { event } from "../fakes/connection.ts";
import { type Calls, instanceOf } from "./accounts.ts";
import { checkBody } from "./bodies.ts";
import { ringAlarm } from "./eviction.ts";

export type Connected = { id: string; session: FakeSession };

const bridges: { call: Calls; id: string; bridge: FakeBridge }[] = [];

/** An instance connected through its own bridge. */
export async function connectedInstance(call: Calls, change: Record<string, unknown> = {}): Promise<Connected> {
  const { id } = await instanceOf(call, change);
  const bridge = await FakeBridge.dial();
  bridges.push({ call, id, bridge });
  await call("POST", `/instances/${id}/connect`);
  const session = await bridge.open(id);
  await session.commit([event.open()]);
  return { id, session };
}

/** Run after each test: ends placements and bridges, so that they do not affect the next one. */
export async function allDisconnected(): Promise<void> {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const { call, id, bridge } of bridges.splice(0)) {
    await call("POST", `/instances/${id}/disconnect`);
    await bridge.left();
  }
}

/** Advances time by `ms` and completes all work due by then. Needs fake dates. */
export async function afterMs(id: string, ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  await ringAlarm(env.CONNECTION.getByName(id));
}

export type Arrival = { url: string; headers: Headers; body: string };

/** Records every POST to `https://hooks.example.net/…` and responds with `status`. */
export class CustomerServer {
  readonly arrivals: Arrival[] = [];
  status = 200;

  constructor() {
    const fetch = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (typeof input !== "string" || !input.startsWith("https://hooks.example.net/")) return fetch(input, init);
      const body = new TextDecoder().decode(init?.body as Uint8Array);
      checkBody(body);
      this.arrivals.push({ url: input, headers: new Headers(init?.headers), body });
      return new Response(null, { status: this.status });
    });
  }

  /** Waits for this many deliveries. */
  async deliveries(count: number): Promise<Arrival[]> {
    await vi.waitFor(() => {
      if (this.arrivals.length < count) throw new Error(`${this.arrivals.length} of ${count} deliveries`);
    });
    return this.arrivals;
  }
}
