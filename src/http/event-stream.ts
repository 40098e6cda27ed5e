// Server-sent events from an object's socket. The worker holds the stream, so the object can hibernate meanwhile. Not by `hono/streaming`:
// its writer hides how much a slow reader has left unread, so nothing would bound the memory of a stream.

/** Clients reconnect by themselves, and are authenticated again when they do. */
const MAX_STREAM_MS = 5 * 60_000;
const RECONNECT_DELAY_MS = 1_000;
/** Proxies close a connection that is silent for a minute. */
const KEEP_ALIVE_INTERVAL_MS = 20_000;
/** A reader with more unread than this is disconnected, and starts again. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** `blockOf`: the text of a frame in the stream, "" for none. The socket must not have been accepted yet. */
export function eventStream(socket: WebSocket, blockOf: (frame: string) => string): Response {
  return new Response(eventsOf(socket, blockOf), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}

function eventsOf(socket: WebSocket, blockOf: (frame: string) => string): ReadableStream<Uint8Array> {
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
        const deadline = setTimeout(() => end(), MAX_STREAM_MS);
        stop = () => {
          ended = true;
          clearInterval(alive);
          clearTimeout(deadline);
          socket.close(1000, "stream ended");
        };
        const end = () => {
          if (ended) return;
          stop();
          controller.close();
        };
        socket.addEventListener("message", ({ data }) => write(blockOf(String(data))));
        socket.addEventListener("close", end);
        socket.addEventListener("error", end);
        write(`retry: ${RECONNECT_DELAY_MS}\n\n`);
        socket.accept();
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
  );
}
