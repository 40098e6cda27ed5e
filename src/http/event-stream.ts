// Server-sent events of what an object says over a socket. The worker holds the stream; the object may sleep meanwhile.

/** Whoever listens comes back by themselves; whoever may not listen any more is found out then. */
const MAX_STREAM_MS = 5 * 60_000;
const RECONNECT_DELAY_MS = 1_000;
/** Proxies on the way close what is silent for a minute. */
const KEEP_ALIVE_INTERVAL_MS = 20_000;
/** A reader that falls behind by more starts again. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** `blockOf`: what a frame is in the stream, "" when it is nothing. The socket has not been accepted yet. */
export function eventStream(socket: WebSocket, blockOf: (frame: string) => string): Response {
  return new Response(eventsOf(socket, blockOf), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}

function eventsOf(socket: WebSocket, blockOf: (frame: string) => string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let leave = () => undefined as void;
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
        const longest = setTimeout(() => end(), MAX_STREAM_MS);
        leave = () => {
          ended = true;
          clearInterval(alive);
          clearTimeout(longest);
          socket.close(1000, "seen enough");
        };
        const end = () => {
          if (ended) return;
          leave();
          controller.close();
        };
        socket.addEventListener("message", ({ data }) => write(blockOf(String(data))));
        socket.addEventListener("close", end);
        socket.addEventListener("error", end);
        write(`retry: ${RECONNECT_DELAY_MS}\n\n`);
        socket.accept();
      },
      cancel: () => leave(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
  );
}
