// `GET /connections/{id}/stream`: status, QR, history and events as server-sent events.
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import type { AppContext } from "../../http/app-env.ts";
import { guardedStream, lastEventId, socketFeed } from "../../http/event-stream.ts";
import { isoOfSeconds } from "../../http/times.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { StatusFrame } from "@gateway/protocol/stream-sockets.ts";
import { accessTo } from "../../services/connections/access.ts";
import { openWatchSocket } from "../../services/connections/stub.ts";
import { signedInSession } from "../../services/identity/sessions.ts";
import { expiryOfBearer } from "../../services/identity/verify-bearer.ts";
import type { User } from "../../services/users/user-table.ts";
import { authenticate } from "./authenticate.ts";
import { stream } from "./route.ts";
import type { ConnectionMember } from "./call-as.ts";

export const streamRoutes = [stream("GET /connections/{id}/stream", "member", streamEvents)];

async function streamEvents(c: AppContext, { connection, role, user }: ConnectionMember): Promise<Outcome<Response> | Response> {
  const opened = await guardedStream(c.env, {
    ...(await credentialOf(c, user, [connection.uuid])),
    open: async () => {
      const socket = await openWatchSocket(c.env, connection.uuid, { user: user.id, view: "all", after: lastEventId(c) });
      // Viewers do not receive the code, because they could link a phone with it (as on the QR route).
      return socket === null ? null : socketFeed(socket, (frame) => watchBlock(frame, role !== "viewer"));
    },
    stillAllowed: async () => (await authenticate(c)).ok && (await accessTo(c.env.DB, user.id, connection.id))?.role === role,
  });
  return opened.ok ? opened.value : opened;
}

/** The credential of a signed-in user; when it ends, the stream is closed. */
export async function credentialOf(c: AppContext, user: User, connections: readonly string[]) {
  const authorization = c.req.header("authorization");
  const session = authorization === undefined ? await signedInSession(c.env, c.req.raw.headers) : null;
  return {
    right: { userId: user.id, credential: session === null ? "token" : `session:${session.id}`, connections },
    expiresAt: session === null ? expiryOfBearer(authorization) : session.expiresAt.getTime(),
  };
}

/** `JSON.stringify` writes no line breaks, so an event is one `data` line. Unknown frames, from a newer object, are skipped. */
export function watchBlock(text: string, withQr: boolean): string {
  const read = StatusFrame.safeParse(JSON.parse(text));
  if (!read.success || (read.data.type === "qr" && !withQr)) return "";
  const frame = read.data;
  const id = "id" in frame && frame.id !== undefined ? `id: ${frame.id}\n` : "";
  return `${id}event: ${frame.type}\ndata: ${dataOf(frame)}\n\n`;
}

function dataOf(frame: StatusFrame): string {
  switch (frame.type) {
    case "status": {
      const { status, status_reason, phone } = frame;
      return JSON.stringify({ status, status_reason, phone });
    }
    case "qr":
      return JSON.stringify({ qr: qrImage(frame.raw), raw: frame.raw, expires_at: isoOfSeconds(frame.expires_at) });
    case "history": {
      const { state, progress } = frame;
      return JSON.stringify({ state, progress });
    }
    case "event":
      return frame.json;
    case "changed":
      return JSON.stringify({ part: frame.part });
    case "reset":
      return "{}";
  }
}
