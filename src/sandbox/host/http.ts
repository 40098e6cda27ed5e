// JSON calls to the sandbox's processes.
import { EventSourceParserStream } from "eventsource-parser/stream";

/** Throws `CallFailed` unless the response is 2xx. The error contains only the status and path, no secrets. */
export async function callJson<T>(url: string, options: { method?: string; token?: string; body?: unknown } = {}): Promise<T> {
  const noAnswer = (): never => {
    throw new CallFailed(null, new URL(url).pathname);
  };
  const response = await fetch(url, {
    method: options.method ?? (options.body === undefined ? "GET" : "POST"),
    headers: {
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  }).catch(noAnswer);
  if (!response.ok) throw new CallFailed(response.status, new URL(url).pathname);
  return (await response.json().catch(noAnswer)) as T;
}

export class CallFailed extends Error {
  readonly status: number | null;

  constructor(status: number | null, path: string) {
    super(status === null ? `${path} did not answer` : `${path} answered ${status}`);
    this.status = status;
  }

  /** True if a retry may succeed, for example because a process is restarting. */
  get mayPass(): boolean {
    return this.status === null || this.status >= 500;
  }
}

export async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

// Yields events of the demo connection. A stream avoids polling.
const RECONNECT_DELAY_MS = 1_000;

type StreamEvent = { event: string; data: { status?: string; status_reason?: string; phone?: string | null; raw?: string } };

/** Never returns: each stream ends after a few minutes, or when the worker stops, and is then reopened. */
export async function* connectionEvents(appUrl: string, id: number, token: string): AsyncGenerator<StreamEvent> {
  for (;;) {
    yield* eventsOf(`${appUrl}/api/dashboard/connections/${id}/stream`, token);
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY_MS));
  }
}

async function* eventsOf(url: string, token: string): AsyncGenerator<StreamEvent> {
  try {
    const { body } = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    if (body === null) return;
    for await (const { event, data } of body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())) {
      if (event !== undefined) yield { event, data: JSON.parse(data) as StreamEvent["data"] };
    }
  } catch {
    // The worker restarted, so this continues with the next stream.
  }
}
