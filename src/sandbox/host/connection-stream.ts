// Yields events of the demo connection. A stream avoids polling.
import { EventSourceParserStream } from "eventsource-parser/stream";

const RECONNECT_DELAY_MS = 1_000;

export type StreamEvent = { event: string; data: { status?: string; status_reason?: string; phone?: string | null; raw?: string } };

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
    // The worker restarted, so continue with the next stream.
  }
}
