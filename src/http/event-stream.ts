// Server-sent events from an object's socket. The worker holds the stream, so the object can hibernate meanwhile. Not by `hono/streaming`:
// its writer hides how much a slow reader has left unread, so nothing would bound the memory of a stream.

import type { Env } from "../env.ts";
import { log } from "../log.ts";
import { fail, type Outcome } from "../protocol/failures.ts";
import { openRightSocket, type StreamRight } from "../services/accounts/streams.ts";

/** Clients reconnect by themselves, and are authenticated again when they do. */
const MAX_STREAM_MS = 5 * 60_000;
const RECONNECT_DELAY_MS = 1_000;
/** Proxies close a connection that is silent for a minute. */
const KEEP_ALIVE_INTERVAL_MS = 20_000;
/** A reader with more unread than this is disconnected, and starts again. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

export type StreamSource = {
  right: StreamRight;
  /** When the credential expires (Unix ms); null: never. */
  expiresAt: number | null;
  /** Opens the object's socket; null while the object is unreachable. */
  open: () => Promise<WebSocket | null>;
  /** Whether the caller would still be let in. Asked once everything is open, so that no revocation is missed. */
  stillAllowed: () => Promise<boolean>;
  /** The text of a frame in the stream, "" for none. */
  blockOf: (frame: string) => string;
};

/**
 * A stream that ends as soon as the right to it ends. Fails `unavailable`, and `unauthorized` when the right ended meanwhile. Rejects, with
 * nothing left open, when something cannot be opened or the right cannot be looked up.
 */
export async function guardedStream(env: Env, source: StreamSource): Promise<Outcome<Response>> {
  const opening = [source.open(), openRightSocket(env, source.right)] as const;
  let streams = false;
  try {
    const [socket, right] = await Promise.all(opening);
    if (socket === null || right === null) return fail("unavailable");
    if (!(await source.stillAllowed())) return fail("unauthorized");
    const lifeMs = Math.min(MAX_STREAM_MS, Math.max(0, (source.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now()));
    streams = true;
    return { ok: true, value: eventStream(socket, right, lifeMs, source.blockOf) };
  } finally {
    if (!streams) for (const opened of await Promise.allSettled(opening)) refuse(opened.status === "fulfilled" ? opened.value : null);
  }
}

function refuse(socket: WebSocket | null): void {
  socket?.accept();
  socket?.close(1000, "refused");
}

/** `right`: ends the stream when it closes. Neither socket must have been accepted yet. */
export function eventStream(socket: WebSocket, right: WebSocket, lifeMs: number, blockOf: (frame: string) => string): Response {
  return new Response(eventsOf(socket, right, lifeMs, blockOf), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}

function eventsOf(socket: WebSocket, right: WebSocket, lifeMs: number, blockOf: (frame: string) => string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = () => undefined as void;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let ended = false;
        const write = (text: string) => {
          if (ended || text === "") return;
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) <= 0) end();
        };
        const alive = setInterval(() => write(": alive\n\n"), KEEP_ALIVE_INTERVAL_MS);
        const deadline = setTimeout(() => end(), lifeMs);
        stop = () => {
          ended = true;
          clearInterval(alive);
          clearTimeout(deadline);
          for (const one of [socket, right]) one.close(1000, "stream ended");
        };
        const end = () => {
          if (ended) return;
          stop();
          controller.close();
        };
        socket.addEventListener("message", ({ data }) => {
          try {
            write(blockOf(String(data)));
          } catch (error) {
            // The reader comes back and goes on behind the last event that it has. A parser's message quotes the frame.
            log("stream.failed", { error: error instanceof Error ? error.name : typeof error });
            end();
          }
        });
        write(`retry: ${RECONNECT_DELAY_MS}\n\n`);
        for (const one of [right, socket]) {
          one.addEventListener("close", end);
          one.addEventListener("error", end);
          one.accept();
        }
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
  );
}
