// Server-sent events from objects' sockets, with the stream in the worker. `hono/streaming` would hide a slow reader's backlog.

import type { Env } from "../env.ts";
import { log } from "../log.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { LISTENER_TIMES } from "@gateway/protocol/stream-sockets.ts";
import { openRightSocket, type StreamRight } from "../services/accounts/guard.ts";
import type { AppContext } from "./app-env.ts";

/** A stream ends after this time. Clients then reconnect automatically and authenticate again. */
const MAX_STREAM_MS = LISTENER_TIMES.streamMs;
const RECONNECT_DELAY_MS = 1_000;
/** Keep-alives are sent because proxies close a connection after a minute of silence. */
const KEEP_ALIVE_INTERVAL_MS = 20_000;
/** A reader with more unread bytes than this is disconnected. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_EVENT_ID_CHARACTERS = 100;

/** `write("")` writes nothing. A source must not write after it has been stopped. */
export type Sink = { write(block: string): void; end(): void; hasRoom(): boolean };

export type Feed = {
  start(sink: Sink): void;
  /** Called when the reader has room again. Without `pull`, a reader that is too slow is disconnected. */
  pull?(): void;
  /** Called once, at the end, even if the source was never started. */
  stop(): void;
};

export type StreamSource = {
  /** Null if the source itself ends the stream. */
  right: StreamRight | null;
  expiresAt: number | null;
  /** Returns null while the source is unreachable. */
  open: () => Promise<Feed | null>;
  /** Called once everything is open, so that a revocation that happened meanwhile is not missed. */
  stillAllowed: () => Promise<boolean>;
};

/** The stream ends when its reader's authorization ends. Fails with `unavailable` or `unauthorized`, without leaving anything open. */
export async function guardedStream(env: Env, source: StreamSource): Promise<Outcome<Response>> {
  const opening = [source.open(), source.right === null ? Promise.resolve(undefined) : openRightSocket(env, source.right)] as const;
  let streams = false;
  try {
    const [feed, right] = await Promise.all(opening);
    if (feed === null || right === null) return fail("unavailable");
    if (!(await source.stillAllowed())) return fail("unauthorized");
    const lifeMs = Math.min(MAX_STREAM_MS, Math.max(0, (source.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now()));
    streams = true;
    return { ok: true, value: eventStream(feed, right, lifeMs) };
  } finally {
    if (!streams) {
      const [feed, right] = await Promise.allSettled(opening);
      if (feed.status === "fulfilled") feed.value?.stop();
      if (right.status === "fulfilled") refuse(right.value);
    }
  }
}

/** Creates a feed that ends with the socket, or after a block marked as `last`. The socket must not be accepted yet. */
export function socketFeed(socket: WebSocket, blockOf: (frame: string) => string | { block: string; last: boolean }): Feed {
  let isStarted = false;
  return {
    start: (sink) => {
      isStarted = true;
      follow(
        socket,
        (frame) => {
          const read = blockOf(frame);
          const { block, last } = typeof read === "string" ? { block: read, last: false } : read;
          sink.write(block);
          if (last) sink.end();
        },
        () => sink.end(),
      );
    },
    stop: () => (isStarted ? socket.close(1000, "stream ended") : refuse(socket)),
  };
}

/** Accepts the socket. After an error or an invalid frame, `onClose` receives no code. */
export function follow(socket: WebSocket, onFrame: (frame: string) => void, onClose: (code?: number) => void): void {
  socket.addEventListener("message", ({ data }) => {
    try {
      onFrame(String(data));
    } catch (error) {
      // The reader reconnects and resumes. Logs only the error's name, because a parser's message quotes the frame.
      log("stream.failed", { error: error instanceof Error ? error.name : typeof error });
      onClose();
    }
  });
  socket.addEventListener("close", ({ code }) => onClose(code));
  socket.addEventListener("error", () => onClose());
  socket.accept();
}

/** Browsers resend this header themselves. A page that opens a new stream cannot set it, so the query is read too. */
export function lastEventId(c: AppContext): string | null {
  return (c.req.header("Last-Event-ID") ?? c.req.query("last_event_id"))?.slice(0, MAX_EVENT_ID_CHARACTERS) ?? null;
}

function refuse(socket: WebSocket | null | undefined): void {
  socket?.accept();
  socket?.close(1000, "refused");
}

/** `right`, if given, is a socket whose closing ends the stream. It must not be accepted yet. */
export function eventStream(feed: Feed, right: WebSocket | undefined, lifeMs: number): Response {
  return new Response(eventsOf(feed, right, lifeMs), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}

function eventsOf(feed: Feed, right: WebSocket | undefined, lifeMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = () => undefined as void;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let ended = false;
        const hasRoom = () => !ended && (controller.desiredSize ?? 0) > 0;
        const write = (text: string) => {
          if (ended || text === "") return;
          controller.enqueue(encoder.encode(text));
          if (feed.pull === undefined && !hasRoom()) end();
        };
        const alive = setInterval(() => write(": alive\n\n"), KEEP_ALIVE_INTERVAL_MS);
        const deadline = setTimeout(() => end(), lifeMs);
        stop = () => {
          ended = true;
          clearInterval(alive);
          clearTimeout(deadline);
          right?.close(1000, "stream ended");
          feed.stop();
        };
        const end = () => {
          if (ended) return;
          stop();
          controller.close();
        };
        write(`retry: ${RECONNECT_DELAY_MS}\n\n`);
        right?.addEventListener("close", end);
        right?.addEventListener("error", end);
        right?.accept();
        feed.start({ write, end, hasRoom });
      },
      pull: () => feed.pull?.(),
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
  );
}
