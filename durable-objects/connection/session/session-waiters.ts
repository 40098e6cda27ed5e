import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { Instance } from "../instance/instance.ts";

type Waiter = { done: () => boolean; settle: () => void };

export class SessionWaiters {
  readonly #instance: Instance;
  readonly #attached: () => boolean;
  readonly #waiting = new Set<Waiter>();

  constructor(instance: Instance, attached: () => boolean) {
    this.#instance = instance;
    this.#attached = attached;
  }

  /** Resolves waiters whose condition holds. Called after a change. */
  recheck(): void {
    for (const waiter of this.#waiting) if (waiter.done()) waiter.settle();
  }

  /** Fails with `instance_not_connected` if no session is starting, and with `instance_reconnecting` if it took too long. */
  async untilConnected(now: number, deadlineAt: number): Promise<Outcome<null>> {
    const { reconnect } = this.#instance.state;
    if (reconnect === null || reconnect.nextAt < deadlineAt) await this.until(() => this.#readiness() !== "wait", deadlineAt - now);
    const readiness = this.#readiness();
    if (readiness === "ready") return succeed(null);
    if (readiness === "unavailable") return fail("instance_not_connected");
    const nextAt = this.#instance.state.reconnect?.nextAt ?? 0;
    return fail("instance_reconnecting", { retryAfter: Math.max(2, Math.ceil((nextAt - Date.now()) / 1000)) });
  }

  async untilSettled(now: number, deadlineAt: number): Promise<void> {
    await this.until(() => this.#instance.state.status !== "connecting", deadlineAt - now);
  }

  #readiness(): "ready" | "unavailable" | "wait" {
    const { status } = this.#instance.state;
    if (status === "connected") return this.#attached() ? "ready" : "wait";
    return status === "connecting" ? "wait" : "unavailable";
  }

  until(done: () => boolean, ms: number): Promise<void> {
    if (done()) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const settle = () => {
      clearTimeout(timer);
      this.#waiting.delete(waiter);
      resolve();
    };
    const waiter: Waiter = { done, settle };
    const timer = setTimeout(settle, Math.max(0, ms));
    this.#waiting.add(waiter);
    return promise;
  }
}
