// `GET /connections/{id}/stream`: status, QR and events as they happen, as server-sent events (architecture, dashboard routes).
import { qrImage } from "../domain/qr-image.ts";
import type { AppContext } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { isoOfSeconds } from "../http/times.ts";
import { WatchFrame } from "../protocol/watch-socket.ts";
import { watchConnection } from "../services/connections/watch.ts";
import type { Visitor } from "./connection-call.ts";

/** A browser comes back by itself; whoever may not look any more is found out then. */
const LONGEST_MS = 5 * 60_000;
const COME_BACK_AFTER_MS = 1_000;
/** Proxies on the way close what is silent for a minute. */
const SIGN_OF_LIFE_MS = 20_000;
/** A reader that falls behind by more starts again, with how things are then. */
const BEHIND_BYTES = 1024 * 1024;

export async function streamConnection(c: AppContext, { connection }: Visitor): Promise<Response> {
  const socket = await watchConnection(c.env, connection.uuid);
  if (socket === null) return englishFailure(c, "unavailable");
  return new Response(eventsOf(socket), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}

function eventsOf(socket: WebSocket): ReadableStream<Uint8Array> {
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
        const alive = setInterval(() => write(": alive\n\n"), SIGN_OF_LIFE_MS);
        const longest = setTimeout(() => end(), LONGEST_MS);
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
        socket.addEventListener("message", ({ data }) => write(eventText(String(data))));
        socket.addEventListener("close", end);
        socket.addEventListener("error", end);
        write(`retry: ${COME_BACK_AFTER_MS}\n\n`);
        socket.accept();
      },
      cancel: () => leave(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BEHIND_BYTES }),
  );
}

/** JSON as it is written here has no line breaks, so each event is one line of data. A frame of a newer object may mean nothing here. */
function eventText(frame: string): string {
  const read = WatchFrame.safeParse(JSON.parse(frame));
  return read.success ? `event: ${read.data.type}\ndata: ${dataOf(read.data)}\n\n` : "";
}

function dataOf(frame: WatchFrame): string {
  switch (frame.type) {
    case "status": {
      const { status, status_reason, phone } = frame;
      return JSON.stringify({ status, status_reason, phone });
    }
    case "qr":
      return JSON.stringify({ qr: qrImage(frame.raw), raw: frame.raw, expires_at: isoOfSeconds(frame.expires_at) });
    case "event":
      return frame.json;
  }
}
