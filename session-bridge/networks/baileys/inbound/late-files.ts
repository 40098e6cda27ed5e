// Files that their message does not wait for. Each has a row, so that the next bridge continues the download if this one is killed. If the
// gateway is unavailable, the row stays for the session's next opening.
import type { ChatId } from "@gateway/protocol/ids.ts";
import { MAX_ROW_KEY } from "@gateway/protocol/session-socket.ts";
import { readRaw } from "../content/unwrap.ts";
import { viewOf } from "../content/view.ts";
import { incomingMediaOf, type IncomingFile } from "../media/incoming-media.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { perSession } from "../session/per-session.ts";
import type { NetworkSession, SessionContext } from "../session/session-context.ts";

const ROW_TYPE = "late_file";
/** Number of files resumed at once. It is far below the number that may wait for a slot, because files above that limit are dropped. */
const TOGETHER = 50;

/** `raw` contains the data for fetching the file, as in `NetworkMessage`. */
type Message = { chat_id: ChatId; message_id: string; raw: string };

export class LateFiles {
  readonly #left: string[];
  #resumed = 0;

  constructor(session: NetworkSession) {
    this.#left = session.rows.keysOf(ROW_TYPE);
  }

  /** Call it in the same tick in which the message's event is emitted, so that both are in one commit. */
  follow(ctx: SessionContext, message: Message, file: IncomingFile["stored"]): void {
    const row = `${ROW_TYPE}|${message.message_id}`;
    if (row.length <= MAX_ROW_KEY) ctx.rows.put(row, JSON.stringify(message));
    void this.#report(ctx, row, message, file);
  }

  /** Call it when the session is open, because the phone may have to upload a file again. */
  async resume(ctx: SessionContext): Promise<void> {
    this.#resumed += 1;
    const resumed = this.#resumed;
    // If the session opens again meanwhile, the new run takes over the rest. Files that fail again wait for the next opening.
    for (let rest = this.#left.length; rest > 0 && resumed === this.#resumed; rest -= TOGETHER) {
      await Promise.all(this.#left.splice(0, Math.min(rest, TOGETHER)).map((row) => this.#again(ctx, row)));
    }
  }

  async #again(ctx: SessionContext, row: string): Promise<void> {
    const message = JSON.parse(ctx.rows.get(row)?.toString() ?? "null") as Message | null;
    const sent = message === null ? null : readRaw(message.raw);
    const part = viewOf(sent?.message)?.media;
    if (message === null || !sent || !part) ctx.rows.put(row, null);
    else await this.#report(ctx, row, message, incomingMediaOf(ctx.session).receive(ctx, sent, part).stored);
  }

  async #report(ctx: SessionContext, row: string, { chat_id, message_id }: Message, file: IncomingFile["stored"]): Promise<void> {
    const media = await file;
    if (ctx.ended.aborted) return;
    if (media === "unavailable") {
      this.#left.push(row);
      return;
    }
    if (media !== null)
      ctx.emit([{ key: DEDUPE.media(chat_id, message_id), event: { type: "message.media", chat_id, message_id, media } }]);
    ctx.rows.put(row, null);
  }
}

export const lateFilesOf = perSession((session) => new LateFiles(session));

/** Reads the rows of an earlier process. Call it before this process writes any. */
export function readLeftFiles(session: NetworkSession): void {
  lateFilesOf(session);
}
