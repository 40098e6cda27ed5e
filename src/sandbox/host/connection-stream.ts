// What happens to the demo connection, as server-sent events: the sandbox asks once instead of again and again.
import { EventSourceParserStream } from "eventsource-parser/stream";

const RECONNECT_DELAY_MS = 1_000;

/** `raw` is the QR's text, of an event `qr`. */
export type StreamEvent = { event: string; data: { status?: string; status_reason?: string; phone?: string | null; raw?: string } };

/** Without end: the stream ends every few minutes, and with the worker, and the next one begins with the current state. */
export async function* connectionEvents(appUrl: string, id: number, token: string): AsyncGenerator<StreamEvent> {
  for (;;) {
    yield* eventsOf(`${appUrl}/api/dashboard/connections/${id}/stream`, token);
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY_MS));
  }
}

/** Ends when the stream ends or cannot be opened. */
async function* eventsOf(url: string, token: string): AsyncGenerator<StreamEvent> {
  try {
    const { body } = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    if (body === null) return;
    for await (const { event, data } of body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())) {
      if (event !== undefined) yield { event, data: JSON.parse(data) as StreamEvent["data"] };
    }
  } catch {
    // The worker was restarted: the next stream continues.
  }
}
