// `GET /connections/{id}/stream`: status, QR and events as they happen, as server-sent events.
import { qrImage } from "../domain/instance/qr-image.ts";
import type { AppContext } from "../http/app-env.ts";
import { guardedStream } from "../http/event-stream.ts";
import { isoOfSeconds } from "../http/times.ts";
import type { Outcome } from "../protocol/failures.ts";
import { StatusFrame } from "../protocol/status-socket.ts";
import { accessTo } from "../services/connections/access.ts";
import { openWatchSocket } from "../services/connections/sockets.ts";
import { signedInSession } from "../services/identity/sessions.ts";
import { expiryOfBearer } from "../services/identity/verify-bearer.ts";
import { authenticate } from "./authenticate.ts";
import { stream } from "./route.ts";
import type { ConnectionMember } from "./run-operation.ts";

export const streamRoutes = [stream("GET /connections/{id}/stream", "member", streamEvents)];

async function streamEvents(c: AppContext, { connection, role, user }: ConnectionMember): Promise<Outcome<Response> | Response> {
  const authorization = c.req.header("authorization");
  const session = authorization === undefined ? await signedInSession(c.env, c.req.raw.headers) : null;
  const opened = await guardedStream(c.env, {
    right: { userId: user.id, credential: session === null ? "token" : `session:${session.id}`, connection: connection.uuid },
    expiresAt: session === null ? expiryOfBearer(authorization) : session.expiresAt.getTime(),
    open: () => openWatchSocket(c.env, connection.uuid, user.id),
    stillAllowed: async () => (await authenticate(c)).ok && (await accessTo(c.env.DB, user.id, connection.id))?.role === role,
    // As on the QR route: with the code a viewer could link a phone.
    blockOf: (frame) => eventText(frame, role !== "viewer"),
  });
  return opened.ok ? opened.value : opened;
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
