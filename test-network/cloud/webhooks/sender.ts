// Delivers up to eight webhooks per number at the same time. Each is retried until it gets a 200, with a backoff from 1 to 60 seconds.
import type { CloudFaults } from "../faults.ts";
import type { Destination, Scope, Webhook, WebhookQueue, Attempt } from "./queue.ts";
import { digits } from "../ids.ts";
import { signatureOf, type Sign } from "./bytes.ts";

const CONCURRENCY = 8;
const FIRST_REPEAT_MS = 1_000;
const LAST_REPEAT_MS = 60_000;

export class WebhookSender {
  readonly #queue: WebhookQueue;
  readonly #faults: CloudFaults;
  readonly #destination: (number: string, scope: Scope) => Destination | null;
  readonly #inFlight = new Map<string, Set<number>>();
  #scheduled: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(queue: WebhookQueue, faults: CloudFaults, destination: (number: string, scope: Scope) => Destination | null) {
    this.#queue = queue;
    this.#faults = faults;
    this.#destination = destination;
  }

  /** Changes made in one event-loop turn are sent together. */
  wake(): void {
    if (!this.#closing.signal.aborted) this.#scheduled ??= setImmediate(() => this.#pump());
  }

  close(): void {
    this.#closing.abort();
    clearImmediate(this.#scheduled);
    clearTimeout(this.#timer);
  }

  #pump(): void {
    this.#scheduled = undefined;
    clearTimeout(this.#timer);
    this.#form();
    const now = Date.now();
    for (const number of this.#queue.numbersDue(now)) {
      if (this.#faults.holds(number)) continue;
      const inFlight = this.#inFlightOf(number);
      for (const webhook of this.#queue.due(number, now, CONCURRENCY - inFlight.size, inFlight)) void this.#deliver(webhook, inFlight);
    }
    const next = this.#queue.nextDue(now);
    if (next !== null) this.#timer = setTimeout(() => this.wake(), Math.max(0, next - now)).unref();
  }

  #inFlightOf(number: string): Set<number> {
    const known = this.#inFlight.get(number) ?? new Set<number>();
    this.#inFlight.set(number, known);
    return known;
  }

  #form(): void {
    for (const { number, scope, count } of this.#queue.waitingChanges()) {
      // Changes that arrive during a hold, or while all slots are busy, are sent in the next batch.
      if (this.#faults.holds(number) || this.#inFlightOf(number).size >= CONCURRENCY) continue;
      const reverse = this.#faults.waiting(number, "reverse");
      if (reverse && count < reverse.left) continue;
      if (reverse) for (let left = reverse.left; left > 0; left--) this.#faults.strike(number, "reverse");
      const destination = this.#destination(number, scope);
      const duplicate = destination && this.#faults.strike(number, "duplicate");
      const copies = duplicate ? 1 + (duplicate.copies ?? 1) : 1;
      this.#queue.form(number, scope, destination?.wabaId ?? null, { newestFirst: reverse !== undefined, copies });
    }
  }

  async #deliver(webhook: Webhook, inFlight: Set<number>): Promise<void> {
    const { seq, number, scope, body } = webhook;
    inFlight.add(seq);
    const destination = this.#destination(number, scope);
    const sign = this.#faults.strike(number, "bad_signature") ? "wrong" : webhook.sign === "handshake" ? "none" : webhook.sign;
    const attempt = await postWebhook(destination, body, sign, this.#closing.signal);
    if (this.#closing.signal.aborted) return;
    inFlight.delete(seq);
    const repeatMs = Math.min(FIRST_REPEAT_MS * 2 ** this.#queue.attempts(seq), LAST_REPEAT_MS);
    const isOver = attempt.status === 200 || destination === null;
    this.#queue.attempted(seq, attempt, isOver ? "done" : { dueAt: Date.now() + repeatMs });
    this.wake();
  }
}

const TIMEOUT_MS = 20_000;
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);
const AGENT = { "user-agent": "facebookexternalua" };

async function postWebhook(destination: Destination | null, body: string, sign: Sign, closing: AbortSignal): Promise<Attempt> {
  const at = Date.now();
  const started = performance.now();
  const ended = (rest: Pick<Attempt, "status" | "error">): Attempt => ({
    url: destination?.url ?? "",
    signature,
    at,
    latency_ms: Math.round(performance.now() - started),
    ...rest,
  });
  const signature = destination && signatureOf(body, destination.secret, sign);
  if (!destination) return ended({ status: null, error: "nobody gets webhooks of this number" });
  if (!isLoopback(destination.url)) return ended({ status: null, error: "not an address of this machine" });
  const headers = { ...AGENT, "content-type": "application/json", ...(signature !== null && { "x-hub-signature-256": signature }) };
  try {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(destination.url, { method: "POST", headers, body, redirect: "manual", signal });
    await response.arrayBuffer();
    return ended({ status: response.status, error: null });
  } catch (error) {
    return ended({ status: null, error: error instanceof Error ? error.message : "no answer" });
  }
}

export async function shakeHands(url: string, verifyToken: string): Promise<{ problem: string | null; attempt: Attempt }> {
  const challenge = digits(10);
  const at = Date.now();
  const started = performance.now();
  const ended = (problem: string | null, status: number | null) => ({
    problem,
    attempt: { url, signature: null, at, status, error: problem, latency_ms: Math.round(performance.now() - started) },
  });
  if (!URL.canParse(url) || !isLoopback(url)) return ended("the address is not one of this machine", null);
  const asked = new URL(url);
  const parameters = { "hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": verifyToken };
  for (const [name, value] of Object.entries(parameters)) asked.searchParams.set(name, value);
  try {
    const response = await fetch(asked, { headers: AGENT, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const answered = await response.text();
    if (response.status !== 200) return ended(`HTTP Status Code = ${response.status}`, response.status);
    return ended(answered === challenge ? null : "the answer is not the challenge", response.status);
  } catch {
    return ended("no answer", null);
  }
}

function isLoopback(url: string): boolean {
  return LOOPBACK.has(new URL(url).hostname);
}
