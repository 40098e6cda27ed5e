// Fakes the platform's container runtime, including its faults.
import { MINUTE_MS } from "@gateway/protocol/units.ts";

/**
 * `refused`: no instance is available. `hanging`: starts, but its ports never respond. `phantom`: reports that it runs without a process;
 * only `destroy` ends that.
 */
export type Conduct = "sound" | "refused" | "hanging" | "phantom";

/** Time from SIGTERM to SIGKILL. */
const GRACE_MS = 15 * MINUTE_MS;

/** The subset of the platform's container API that BridgeContainer uses. */
export class ContainerRuntime {
  conduct: Conduct = "sound";
  readonly starts: ContainerStartupOptions[] = [];
  readonly signals: number[] = [];
  destroyed = 0;
  killed = 0;
  /** The bridge's number of sessions. While there are any, the bridge keeps running after SIGTERM to hand them over. */
  sessions = 0;
  metrics = "gateway_bridge_capacity 150\n";
  #isRunning = false;
  #killAt = Number.POSITIVE_INFINITY;
  #ended = Promise.withResolvers<void>();

  get running(): boolean {
    if (this.#isRunning && Date.now() >= this.#killAt) {
      this.killed += 1;
      this.end();
    }
    return this.#isRunning;
  }

  start(options: ContainerStartupOptions): void {
    if (this.conduct === "refused") throw new Error("There is no container instance that can be provided to this Durable Object");
    this.#isRunning = true;
    this.#killAt = Number.POSITIVE_INFINITY;
    this.starts.push(options);
    this.#ended = Promise.withResolvers();
  }

  monitor(): Promise<void> {
    return this.#ended.promise;
  }

  signal(signal: number): void {
    this.signals.push(signal);
    if (this.conduct === "phantom") return;
    if (this.sessions === 0) this.end();
    else this.#killAt = Date.now() + GRACE_MS;
  }

  /** Ends its bridge. */
  end(): void {
    this.#isRunning = false;
    this.#ended.resolve();
  }

  destroy(): Promise<void> {
    this.destroyed += 1;
    this.end();
    return Promise.resolve();
  }

  getTcpPort(): { fetch(url: string, init?: { signal?: AbortSignal }): Promise<Response> } {
    return { fetch: (url, init) => this.#answer(url, init?.signal) };
  }

  #answer(url: string, signal?: AbortSignal): Promise<Response> {
    if (this.conduct === "hanging") {
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
    }
    if (this.conduct === "phantom") return Promise.reject(new Error("The container is not listening in the TCP address 10.0.0.1:8080"));
    const isMetrics = url.endsWith("/metrics");
    return Promise.resolve(isMetrics ? new Response(this.metrics) : Response.json({ ok: true, sessions: this.sessions }));
  }
}
