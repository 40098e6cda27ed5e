// Exports finished spans in batches. Memory is bounded, callers never wait, and a failing collector has no effect on them.
import { exportRequest } from "./otlp.ts";
import type { Attributes, FinishedSpan } from "./span.ts";

const MAX_WAITING = 2_048;
const MAX_BATCH = 512;
/** How long the first span of a batch waits for others. */
const BATCH_DELAY_MS = 1_000;
/** Pause after a failed export. */
const RETRY_AFTER_MS = 10_000;
/** After this time, the invocation that ran the export has ended, so the export counts as lost. */
const EXPORT_LOST_AFTER_MS = 20_000;

/** Resolves to whether the collector accepted the spans; may reject. */
export type PostSpans = (body: string) => Promise<boolean>;

export type ExporterOptions = {
  post: PostSpans;
  resource?: Attributes;
  /** Called when the collector did not accept spans, or too many were waiting. */
  onDropped: (spans: number) => void;
  batchDelayMs?: number;
};

export class SpanExporter {
  readonly #options: ExporterOptions;
  #waiting: FinishedSpan[] = [];
  #overflowed = 0;
  /** Unix ms; 0: no export is running. */
  #exportingSince = 0;
  #retryAt = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Returns the export that this span started, so that the caller can keep it alive. */
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
