/** A log line never contains a key, a body or message text. */
export type Logger = (line: { event: "retry"; method: string; path: string; attempt: number; waitMs: number; cause: string }) => void;

export type ClientOptions = {
  apiKey: string;
  /** The deployment's URL, such as `https://api.example.com`. */
  baseUrl: string;
  /** Maximum retries after the first attempt (2 by default). */
  maxRetries?: number;
  timeoutMs?: number;
  /** Timeout of one attempt to send, which waits for WhatsApp (75 s by default). */
  sendTimeoutMs?: number;
  fetch?: typeof globalThis.fetch;
  logger?: Logger;
};

export type RequestOptions = { idempotencyKey?: string; signal?: AbortSignal; timeoutMs?: number; maxRetries?: number };
