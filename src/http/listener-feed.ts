// A durable listener's stream: pulls the next events from the object whenever the reader has room.
import { LISTENER_TAKEN, ListenerFrame, type ListenerPull, PLACE_STEP, type PulledEvent } from "@gateway/protocol/stream-sockets.ts";
import { type Feed, follow, type Sink } from "./event-stream.ts";
import { isoOfSeconds } from "@gateway/domain/iso-times.ts";

/** A comment, because programs that do not know it ignore it (docs/use/listeners.md, "Without the SDK"). */
const TAKEN = ": taken\n\n";

type Batch = Extract<ListenerFrame, { type: "batch" }>;

/** `after` is the place of the last event that the reader has received. The socket must not be accepted yet. */
export function listenerFeed(socket: WebSocket, after: number, isReadable: (type: string) => boolean): Feed {
  let place = after;
  let isFirst = true;
  let isPending = false;
  let hasMore = true;
  let sink: Sink | null = null;

  const pull = (): void => {
    if (sink === null || isPending || !hasMore || !sink.hasRoom()) return;
    socket.send(JSON.stringify({ after: place, received: isFirst } satisfies ListenerPull));
    isPending = true;
    isFirst = false;
    hasMore = false;
  };
  const onBatch = ({ gap, events }: Batch): void => {
    hasMore ||= events.length > 0;
    if (gap !== null) sink?.write(gapBlock(place, gap));
    for (const event of events) {
      place = event.place;
      if (isReadable(event.event)) sink?.write(eventBlock(event));
    }
    // Reset only here, because the reader may pull again during the write.
    isPending = false;
  };
  return {
    start: (to) => {
      sink = to;
      follow(
        socket,
        (text) => {
          const frame = ListenerFrame.safeParse(JSON.parse(text)).data;
          if (frame?.type === "more") hasMore = true;
          if (frame?.type === "batch") onBatch(frame);
          pull();
        },
        (code) => {
          if (code === LISTENER_TAKEN) to.write(TAKEN);
          to.end();
        },
      );
      pull();
    },
    pull,
    stop: () => {
      if (sink === null) socket.accept();
      sink = null;
      socket.close(1000, "stream ended");
    },
  };
}

function eventBlock({ place, event, json }: PulledEvent): string {
  return `id: ${place}\nevent: ${event}\ndata: ${json}\n\n`;
}

/** The event's id is the place of the last missed event. After a reconnect, the gap is therefore not reported again. */
function gapBlock(place: number, { missed, since, until }: NonNullable<Batch["gap"]>): string {
  const iso = (ms: number | null) => (ms === null ? null : isoOfSeconds(Math.floor(ms / 1000)));
  return `id: ${place + missed * PLACE_STEP}\nevent: gap\ndata: ${JSON.stringify({ missed, since: iso(since), until: iso(until) })}\n\n`;
}
