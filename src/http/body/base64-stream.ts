// Streams a file as Base64 inside JSON, with only one chunk in memory.
import { Buffer } from "node:buffer";

export function streamBase64Json(bytes: ReadableStream<Uint8Array>, before: string, after: string): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder();
  let rest = new Uint8Array(0);
  return bytes.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(utf8.encode(before)),
      transform: (piece, controller) => {
        const all = Buffer.concat([rest, piece]);
        const whole = all.length - (all.length % 3);
        rest = new Uint8Array(all.subarray(whole));
        if (whole > 0) controller.enqueue(utf8.encode(all.toString("base64", 0, whole)));
      },
      flush: (controller) => controller.enqueue(utf8.encode(Buffer.from(rest).toString("base64") + after)),
    }),
  );
}
