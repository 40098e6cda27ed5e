// `GET /connections/{id}/stream`: status, QR and events as they happen, as server-sent events.
import { qrImage } from "../domain/instance/qr-image.ts";
import type { AppContext } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { eventStream } from "../http/event-stream.ts";
import { isoOfSeconds } from "../http/times.ts";
import { StatusFrame } from "../protocol/status-socket.ts";
import { openWatchSocket } from "../services/connections/sockets.ts";
import type { ConnectionMember } from "./run-operation.ts";

export async function streamEvents(c: AppContext, { connection, role }: ConnectionMember): Promise<Response> {
  const socket = await openWatchSocket(c.env, connection.uuid);
  if (socket === null) return englishFailure(c, "unavailable");
  // As on the QR route: with the code a viewer could link a phone.
  return eventStream(socket, (frame) => eventText(frame, role !== "viewer"));
}

/** `JSON.stringify` writes no line breaks, so an event is one `data` line. Unknown frames, of a newer object, are skipped. */
function eventText(frame: string, withQr: boolean): string {
  const read = StatusFrame.safeParse(JSON.parse(frame));
  if (!read.success || (read.data.type === "qr" && !withQr)) return "";
  return `event: ${read.data.type}\ndata: ${dataOf(read.data)}\n\n`;
}

function dataOf(frame: StatusFrame): string {
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
