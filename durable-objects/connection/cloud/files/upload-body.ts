// Streams a file from R2 to Graph without holding all of it in memory.
import type { MediaFacts } from "#root/src/services/media/open.ts";
import { mediaTypeOf } from "@gateway/protocol/files.ts";
import { extensionOf } from "@gateway/domain/media/media-link.ts";

export type OutgoingBody = { body: ReadableStream<Uint8Array>; headers: Readonly<Record<string, string>>; stop: () => void };

const UTF8 = new TextEncoder();
const NOTHING = new Uint8Array(0);

export function fileForm(
  fields: Readonly<Record<string, string>>,
  { mimetype, sizeBytes }: Pick<MediaFacts, "mimetype" | "sizeBytes">,
  bytes: ReadableStream<Uint8Array>,
): OutgoingBody {
  const boundary = `form-${crypto.randomUUID()}`;
  const type = mediaTypeOf(mimetype);
  const parts = Object.entries(fields).map(([name, value]) => part(boundary, `name="${name}"`, "", value));
  const file = part(boundary, `name="file"; filename="file.${extensionOf(type)}"`, `Content-Type: ${type}\r\n`, "");
  const before = UTF8.encode([...parts, file].join("\r\n"));
  const after = UTF8.encode(`\r\n--${boundary}--\r\n`);
  return {
    ...measuredBody(before, bytes, sizeBytes, after),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}

export function plainBody(bytes: ReadableStream<Uint8Array>, sizeBytes: number): OutgoingBody {
  return { ...measuredBody(NOTHING, bytes, sizeBytes, NOTHING), headers: { "content-type": "application/octet-stream" } };
}

function part(boundary: string, disposition: string, headers: string, value: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n${value}`;
}

function measuredBody(
  before: Uint8Array,
  bytes: ReadableStream<Uint8Array>,
  sizeBytes: number,
  after: Uint8Array,
): Pick<OutgoingBody, "body" | "stop"> {
  const { readable, writable } = new FixedLengthStream(before.length + sizeBytes + after.length);
  const stopped = new AbortController();
  // The error is ignored, because the request fails too and reports it.
  write(writable, before, bytes, after, stopped.signal).catch(() => undefined);
  return { body: readable, stop: () => stopped.abort() };
}

async function write(
  writable: WritableStream<Uint8Array>,
  before: Uint8Array,
  bytes: ReadableStream<Uint8Array>,
  after: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  const head = writable.getWriter();
  const abort = () => void head.abort().catch(() => undefined);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await head.write(before);
  } catch (error) {
    await bytes.cancel().catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
    head.releaseLock();
  }
  await bytes.pipeTo(writable, { preventClose: true, signal });
  const tail = writable.getWriter();
  await tail.write(after);
  await tail.close();
}
