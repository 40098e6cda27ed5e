// Reads server-sent events as a client does.
import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { expect } from "vitest";

type Received = { id?: string; event?: string; data: any };

const streams: EventStream[] = [];

export class EventStream {
  readonly #reader: ReadableStreamDefaultReader<EventSourceMessage>;
  /** Starts reading immediately, because an unread stream does not even parse its first line. */
  #read: Promise<ReadableStreamReadResult<EventSourceMessage>>;

  private constructor(events: ReadableStream<EventSourceMessage>) {
    this.#reader = events.getReader();
    this.#read = this.#reader.read();
  }

  /** Requires the response to be a stream that starts with the reconnect delay. */
  static async from(answer: Response): Promise<EventStream> {
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      200,
      "text/event-stream",
      "no-store",
    ]);
    const retry = Promise.withResolvers<number>();
    const text = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
    const stream = new EventStream(text.pipeThrough(new EventSourceParserStream({ onRetry: retry.resolve })));
    streams.push(stream);
    expect(await retry.promise).toBe(1000);
    return stream;
  }

  /** The next event; null once the stream has ended. */
  async next(): Promise<Received | null> {
    const { done, value } = await this.#read;
    if (done) return null;
    this.#read = this.#reader.read();
    const { id, event, data } = value;
    return { ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }), data: JSON.parse(data) as unknown };
  }

  async leave(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }
}

/** Run after each test: leaves all streams. */
export async function allLeft(): Promise<void> {
  for (const stream of streams.splice(0)) await stream.leave();
}
