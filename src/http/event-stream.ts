// Server-sent events from objects' sockets. The worker holds the stream, so the objects can hibernate meanwhile. Not by `hono/streaming`:
// its writer hides how much a slow reader has left unread, so nothing would bound the memory of a stream.

import type { Env } from "../env.ts";
import { log } from "../log.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { openRightSocket, type StreamRight } from "../services/accounts/streams.ts";
import type { AppContext } from "./app-env.ts";

/** Clients reconnect by themselves, and are authenticated again when they do. */
const MAX_STREAM_MS = 5 * 60_000;
const RECONNECT_DELAY_MS = 1_000;
/** Proxies close a connection that is silent for a minute. */
const KEEP_ALIVE_INTERVAL_MS = 20_000;
/** A reader with more unread than this is disconnected, and starts again. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_EVENT_ID_CHARACTERS = 100;

/** What a source writes into: blocks of the stream, "" for none. It is asked for none once it was stopped. */
export type Sink = { write(block: string): void; end(): void };

/** What a stream carries. */
export type Feed = {
  /** Called once, when the stream begins. */
  start(sink: Sink): void;
  /** Called once, when it ends; also without having been started. */
  stop(): void;
};

export type StreamSource = {
  right: StreamRight;
  /** When the credential expires (Unix ms); null: never. */
  expiresAt: number | null;
  /** null while what it is about is unreachable. */
  open: () => Promise<Feed | null>;
  /** Whether the caller would still be let in. Asked once everything is open, so that no revocation is missed. */
  stillAllowed: () => Promise<boolean>;
};

/**
 * A stream that ends as soon as the right to it ends. Fails `unavailable`, and `unauthorized` when the right ended meanwhile. Rejects, with
 * nothing left open, when something cannot be opened or the right cannot be looked up.
 */
export async function guardedStream(env: Env, source: StreamSource): Promise<Outcome<Response>> {
  const opening = [source.open(), openRightSocket(env, source.right)] as const;
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

/**
 * What an object's socket says. The stream ends with it, or behind a block that is the `last` one. The socket must not have been accepted
 * yet.
 */
export function socketFeed(socket: WebSocket, blockOf: (frame: string) => string | { block: string; last: boolean }): Feed {
  let isStarted = false;
  return {
    start: (sink) => {
      isStarted = true;
      follow(
        socket,
        (frame) => {
          const told = blockOf(frame);
          const { block, last } = typeof told === "string" ? { block: told, last: false } : told;
          sink.write(block);
          if (last) sink.end();
        },
        () => sink.end(),
      );
    },
    stop: () => (isStarted ? socket.close(1000, "stream ended") : refuse(socket)),
  };
}

/** Accepts the socket. `onClose` gets the code, undefined after an error or a frame that could not be told. */
export function follow(socket: WebSocket, onFrame: (frame: string) => void, onClose: (code?: number) => void): void {
  socket.addEventListener("message", ({ data }) => {
    try {
      onFrame(String(data));
    } catch (error) {
      // The reader comes back and goes on behind the last event that it has. A parser's message quotes the frame.
      log("stream.failed", { error: error instanceof Error ? error.name : typeof error });
      onClose();
    }
  });
  socket.addEventListener("close", ({ code }) => onClose(code));
  socket.addEventListener("error", () => onClose());
  socket.accept();
}

/** Where a client goes on: browsers repeat the header by themselves, but a page that opens a stream anew cannot set it. */
export function lastEventId(c: AppContext): string | null {
  return (c.req.header("Last-Event-ID") ?? c.req.query("last_event_id"))?.slice(0, MAX_EVENT_ID_CHARACTERS) ?? null;
}

function refuse(socket: WebSocket | null): void {
  socket?.accept();
  socket?.close(1000, "refused");
}

/** `right`: ends the stream when it closes. It must not have been accepted yet. */
export function eventStream(feed: Feed, right: WebSocket, lifeMs: number): Response {
  return new Response(eventsOf(feed, right, lifeMs), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}

function eventsOf(feed: Feed, right: WebSocket, lifeMs: number): ReadableStream<Uint8Array> {
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
          right.close(1000, "stream ended");
          feed.stop();
        };
        const end = () => {
          if (ended) return;
          stop();
          controller.close();
        };
        write(`retry: ${RECONNECT_DELAY_MS}\n\n`);
        right.addEventListener("close", end);
        right.addEventListener("error", end);
        right.accept();
        feed.start({ write, end });
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
  );
}
