// Finished spans wait here and leave in batches. Memory is bounded, nobody waits for the collector, and nobody notices when it is away.
import { exportRequest } from "./otlp.ts";
import type { Attributes, FinishedSpan } from "./span.ts";

const MAX_WAITING = 2_048;
const MAX_BATCH = 512;
/** How long the first span waits for others. */
const BATCH_DELAY_MS = 1_000;
/** After a failure nothing is tried for so long. */
const RETRY_AFTER_MS = 10_000;
/** An export that is still under way by then has ended with the invocation that ran it. */
const EXPORT_LOST_AFTER_MS = 20_000;

/** Resolves to whether the collector has taken it; may reject. */
export type PostSpans = (body: string) => Promise<boolean>;

export type ExporterOptions = {
  post: PostSpans;
  /** Attributes of the process. */
  resource?: Attributes;
  /** Spans were given up: the collector did not take them, or too many waited. */
  onDropped: (spans: number) => void;
  batchDelayMs?: number;
};

export class SpanExporter {
  readonly #options: ExporterOptions;
  #waiting: FinishedSpan[] = [];
  #overflowed = 0;
  /** Unix ms; 0: no export is under way. */
  #exportingSince = 0;
  #retryAt = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** The export that this span has started, for whoever must keep it alive; null when one is under way, or the collector is away. */
  add(span: FinishedSpan): Promise<void> | null {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(span);
    else this.#overflowed += 1;
    const now = Date.now();
    const isUnderWay = this.#exportingSince > 0 && now - this.#exportingSince < EXPORT_LOST_AFTER_MS;
    if (isUnderWay || now < this.#retryAt) return null;
    this.#exportingSince = now;
    return this.#export().finally(() => {
      this.#exportingSince = 0;
    });
  }

  async #export(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#options.batchDelayMs ?? BATCH_DELAY_MS));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      const body = exportRequest(batch, this.#options.resource ?? {});
      const taken = await this.#options.post(body).catch(() => false);
      if (taken) continue;
      this.#retryAt = Date.now() + RETRY_AFTER_MS;
      this.#options.onDropped(batch.length + this.#overflowed);
      this.#overflowed = 0;
      return;
    }
  }
}
