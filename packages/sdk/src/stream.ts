// Reads server-sent events of one instance. The server ends a stream after five minutes, and the next stream resumes after the last event.

export type StreamedEvent<T> = { id: string | null; type: string; data: T };
export interface EventStream<T> extends AsyncIterable<StreamedEvent<T>> {}

type Open = (lastEventId: string | null) => Promise<Response>;
type Waits = { sleep: (ms: number) => Promise<void>; isFinal: (error: unknown) => boolean };

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The server writes a comment at least every 20 seconds. */
export const SILENCE_MS = 45_000;

/** Adds jitter, so that clients that were disconnected at the same time do not reconnect at the same time. */
export function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

export async function* eventStream<T>(open: Open, { sleep, isFinal }: Waits): AsyncGenerator<StreamedEvent<T>> {
  let lastId: string | null = null;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    try {
      const response = await open(lastId);
      for await (const event of eventsOf<T>(response)) {
        pause = FIRST_PAUSE_MS;
        lastId = event.id ?? lastId;
        yield event;
      }
    } catch (error) {
      if (isFinal(error)) throw error;
    }
    await sleep(jittered(pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

async function* eventsOf<T>(response: Response): AsyncGenerator<StreamedEvent<T>> {
  for await (const { id, type, text } of blocksOf(response)) yield { id, type, data: JSON.parse(text) as T };
}

/** The connection failed while the stream was open. */
export class StreamError extends Error {}

/** `text` is empty only if another program took over the listener. */
type Block = { id: string | null; type: string; text: string };

export async function* blocksOf(response: Response): AsyncGenerator<Block> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await readOrSilence(reader);
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parsed(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function readOrSilence(reader: ReadableStreamDefaultReader<Uint8Array>): ReturnType<typeof reader.read> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StreamError("the stream went silent")), SILENCE_MS);
  });
  try {
    return await Promise.race([reader.read().catch(broken), silence]);
  } finally {
    clearTimeout(timer);
  }
}

function broken(cause: unknown): never {
  throw new StreamError("the stream broke", { cause });
}

function parsed(block: string): Block | null {
  const fields: Record<string, string> = {};
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    // The value may contain U+2028, which `.` does not match in a regular expression.
    const [, field = "", value = ""] = /^([^:]*):? ?([^]*)/.exec(line) ?? [];
    if (field === "data") data.push(value);
    fields[field] = value;
  }
  return data.length === 0 && block !== ": taken"
    ? null
    : { id: fields["id"] ?? null, type: fields["event"] ?? "message", text: data.join("\n") };
}
