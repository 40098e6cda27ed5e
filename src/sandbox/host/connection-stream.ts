// Events of the demo connection. The stream avoids polling.
import { EventSourceParserStream } from "eventsource-parser/stream";

const RECONNECT_DELAY_MS = 1_000;

export type StreamEvent = { event: string; data: { status?: string; status_reason?: string; phone?: string | null; raw?: string } };

/** Never ends: a stream ends every few minutes or with the worker, and is opened again. */
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
    // The worker restarted; the next stream continues.
  }
}
