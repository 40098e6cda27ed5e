// `GET /stream?ids=` sends the statuses of several connections in one stream of server-sent events.
import type { Env } from "#root/src/env.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { type Feed, follow, guardedStream, type Sink, lastEventId, socketFeed } from "#root/src/http/event-stream.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { StatusFrame, WATCH_CLOSE } from "@gateway/protocol/stream-sockets.ts";
import { type Access, accessToEach, accessTo } from "#root/src/services/connections/access.ts";
import { openWatchSocket } from "#root/src/services/connections/stub.ts";
import type { User } from "#root/src/services/users/user-table.ts";
import { authenticate } from "./authenticate.ts";
import { stream } from "./route.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import { isoOfSeconds } from "@gateway/domain/iso-times.ts";
import { signedInSession } from "#root/src/services/identity/sessions.ts";
import { expiryOfBearer } from "#root/src/services/identity/verify-bearer.ts";
import type { ConnectionMember } from "./call-as.ts";

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

export const listStreamRoutes = [stream("GET /stream", "user", (c, user, { query }) => streamList(c, user, query.ids))];

/** A connection that the user may no longer see is reported as `gone`. The stream continues with the others. */
async function streamList(c: AppContext, user: User, ids: readonly number[]): Promise<Outcome<Response> | Response> {
  const listed = await accessToEach(c.env.DB, user.id, ids);
  const known = new Set(listed.map(({ connection }) => connection.id));
  const gone = ids.filter((id) => !known.has(id));
  const credential = await credentialOf(
    c,
    user,
    listed.map(({ connection }) => connection.uuid),
  );
  const opened = await guardedStream(c.env, {
    ...credential,
    open: async () => listFeed(c.env, user, listed, gone),
    stillAllowed: async () => (await authenticate(c)).ok && (await accessToEach(c.env.DB, user.id, ids)).length === listed.length,
  });
  return opened.ok ? opened.value : opened;
}

function listFeed(env: Env, user: User, listed: readonly Access[], gone: readonly number[]): Feed {
  const rows = listed.map(({ connection }) => new Row(env, connection, user));
  return {
    start: (sink) => {
      for (const id of gone) sink.write(block("gone", { id }));
      for (const row of rows) row.start(sink);
    },
    stop: () => {
      for (const row of rows) row.stop();
    },
  };
}

/** One connection in the list. Its object may be temporarily unreachable. */
class Row {
  readonly #env: Env;
  readonly #connection: { id: number; uuid: string };
  readonly #user: User;
  #socket: WebSocket | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #isMissed = false;
  #stopped = false;

  constructor(env: Env, connection: { id: number; uuid: string }, user: User) {
    this.#env = env;
    this.#connection = connection;
    this.#user = user;
  }

  start(sink: Sink): void {
    void this.#open(sink);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#socket?.close(1000, "stream ended");
    this.#socket = null;
  }

  async #open(sink: Sink): Promise<void> {
    const { id, uuid } = this.#connection;
    // A failing object must not end the list, so it is retried later.
    const socket = await openWatchSocket(this.#env, uuid, { user: this.#user.id, view: "status", after: null }).catch((error: unknown) => {
      log("stream.object_failed", { connection: uuid, ...errorFields(error) });
      return null;
    });
    if (socket === null) {
      if (!this.#isMissed) sink.write(block("status", { id, status: null, status_reason: "unavailable", phone: null }));
      this.#isMissed = true;
      return this.#openLater(sink);
    }
    let isOpen = true;
    follow(
      socket,
      (text) => {
        this.#tries = 0;
        this.#isMissed = false;
        sink.write(this.#blockOf(text));
      },
      (code) => {
        if (!isOpen || this.#stopped) return;
        isOpen = false;
        socket.close(1000, "stream ended");
        this.#socket = null;
        if (code === WATCH_CLOSE.notAllowed) sink.end();
        // Another reader replaced this socket. Reopening it at once would only evict that reader.
        else if (code !== WATCH_CLOSE.crowdedOut) this.#openLater(sink);
      },
    );
    if (this.#stopped) socket.close(1000, "stream ended");
    else this.#socket = socket;
  }

  #openLater(sink: Sink): void {
    if (this.#stopped) return;
    const delayMs = this.#tries === 0 ? 0 : Math.min(FIRST_RETRY_MS * 2 ** (this.#tries - 1), MAX_RETRY_MS);
    this.#tries += 1;
    this.#retry = setTimeout(() => void this.#open(sink), delayMs);
  }

  #blockOf(text: string): string {
    const frame = StatusFrame.safeParse(JSON.parse(text)).data;
    if (frame?.type !== "status") return "";
    const { status, status_reason, phone } = frame;
    return block("status", { id: this.#connection.id, status, status_reason, phone });
  }
}

function block(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

// `GET /connections/{id}/stream` sends status, QR code, history and events as server-sent events.

export const streamRoutes = [stream("GET /connections/{id}/stream", "member", streamEvents)];

async function streamEvents(c: AppContext, { connection, role, user }: ConnectionMember): Promise<Outcome<Response> | Response> {
  const opened = await guardedStream(c.env, {
    ...(await credentialOf(c, user, [connection.uuid])),
    open: async () => {
      const socket = await openWatchSocket(c.env, connection.uuid, { user: user.id, view: "all", after: lastEventId(c) });
      // Viewers do not receive the QR code, because it could link a phone. The QR route follows the same rule.
      return socket === null ? null : socketFeed(socket, (frame) => watchBlock(frame, role !== "viewer"));
    },
    stillAllowed: async () => (await authenticate(c)).ok && (await accessTo(c.env.DB, user.id, connection.id))?.role === role,
  });
  return opened.ok ? opened.value : opened;
}

/** The signed-in user's credential. When it ends, the stream is closed. */
export async function credentialOf(c: AppContext, user: User, connections: readonly string[]) {
  const authorization = c.req.header("authorization");
  const session = authorization === undefined ? await signedInSession(c.env, c.req.raw.headers) : null;
  return {
    right: { userId: user.id, credential: session === null ? "token" : `session:${session.id}`, connections },
    expiresAt: session === null ? expiryOfBearer(authorization) : session.expiresAt.getTime(),
  };
}

/** `JSON.stringify` writes no line breaks, so an event is one `data` line. Unknown frames from a newer object are skipped. */
function watchBlock(text: string, withQr: boolean): string {
  const read = StatusFrame.safeParse(JSON.parse(text));
  if (!read.success || (read.data.type === "qr" && !withQr)) return "";
  const frame = read.data;
  const id = "id" in frame && frame.id !== undefined ? `id: ${frame.id}\n` : "";
  return `${id}event: ${frame.type}\ndata: ${frameDataOf(frame)}\n\n`;
}

function frameDataOf(frame: StatusFrame): string {
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
