// Server-sent events, as a client reads them.
import { expect } from "vitest";

type Told = { id?: string; event?: string; data?: any };

const streams: EventStream[] = [];

export class EventStream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  private constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  /** The answer must be a stream, and its first word how soon to come back. */
  static async from(answer: Response): Promise<EventStream> {
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      200,
      "text/event-stream",
      "no-store",
    ]);
    const stream = new EventStream(answer.body as ReadableStream<Uint8Array>);
    streams.push(stream);
    expect(await stream.#block()).toBe("retry: 1000");
    return stream;
  }

  /** The next event; null when the stream has ended. */
  async next(): Promise<Told | null> {
    const block = await this.#block();
    if (block === null) return null;
    const fields = Object.fromEntries(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    return { ...fields, data: JSON.parse(fields["data"] ?? "null") as unknown };
  }

  async leave(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }

  async #block(): Promise<string | null> {
    for (let at = this.#text.indexOf("\n\n"); at < 0; at = this.#text.indexOf("\n\n")) {
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
    const [block = "", ...rest] = this.#text.split("\n\n");
    this.#text = rest.join("\n\n");
    return block;
  }
}

/** After each test. */
export async function allLeft(): Promise<void> {
  for (const stream of streams.splice(0)) await stream.leave();
}
