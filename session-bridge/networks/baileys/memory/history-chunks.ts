// Chunks of history that the library could not fetch. It reports no such failure, and has confirmed the chunk to the phone by then.
// The journal keeps the chunk's stanza (`Unfinished` in durability/journal.ts), and hands it to the library again.
import { getHistoryMsg, PROCESSABLE_HISTORY_TYPES, type BaileysEventMap, type WAMessage } from "baileys";
import { MAX_ROW_KEY } from "@gateway/protocol/session-socket.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { acceptsHistory } from "../socket/socket-config.ts";
import { perSession } from "../session/per-session.ts";
import type { NetworkSession } from "../session/session-context.ts";

const ROW_TYPE = "history_chunk";
/** Shorter than the retention of decrypted stanzas (a day), because a stanza can be decrypted only once. */
const GIVE_UP_AFTER_MS = 12 * HOUR_MS;

export type HistoryChunk = { sync_type: number; progress: number | null };
type Missing = HistoryChunk & { since: number };
type Announced = HistoryChunk & { identity: string; path: string | null; gone: boolean };

const PROCESSABLE: ReadonlySet<number> = new Set(PROCESSABLE_HISTORY_TYPES);

const rowKeyOf = (id: string): string => `${ROW_TYPE}|${id}`;

class HistoryChunks {
  readonly #session: NetworkSession;
  /** By stanza id, oldest first, until the chunk has arrived. */
  readonly #announced = new Map<string, Announced>();

  constructor(session: NetworkSession) {
    this.#session = session;
  }

  /** Gives up on chunks whose stanza is no longer in the journal, for example because an older bridge replayed it. */
  anyMissing(): boolean {
    const { rows } = this.#session;
    const now = this.#session.now();
    const missing = rows.keysOf(ROW_TYPE);
    const lost = missing.filter((name) => now - (JSON.parse(String(rows.get(name))) as Missing).since >= GIVE_UP_AFTER_MS);
    for (const name of lost) rows.put(name, null);
    return missing.length > lost.length;
  }

  isMissing(id: string): boolean {
    return this.#session.rows.get(rowKeyOf(id)) !== undefined;
  }

  announced({ key: { id, fromMe }, message }: WAMessage): void {
    const chunk = message && getHistoryMsg(message);
    const type = chunk?.syncType;
    if (!chunk || typeof type !== "number" || !fromMe || !id || rowKeyOf(id).length > MAX_ROW_KEY) return;
    if (!acceptsHistory(this.#session.settings, type) || !PROCESSABLE.has(type)) return;
    this.#announced.delete(id);
    this.#announced.set(id, {
      sync_type: type,
      progress: chunk.progress ?? null,
      identity: identityOf({ ...chunk, syncType: type }),
      path: chunk.directPath?.split("?")[0] ?? null,
      gone: false,
    });
  }

  /** Finds this chunk among the announced ones. The library works on one at a time, so if none matches, it is the last one announced. */
  came(set: BaileysEventMap["messaging-history.set"]): void {
    const announced = [...this.#announced.keys()].reverse();
    const identity = identityOf(set);
    const id = announced.find((one) => this.#announced.get(one)?.identity === identity) ?? announced[0];
    if (id === undefined) return;
    this.#announced.delete(id);
    if (this.isMissing(id)) this.#session.rows.put(rowKeyOf(id), null);
  }

  gone(path: string): void {
    for (const chunk of this.#announced.values()) chunk.gone ||= chunk.path === path.split("?")[0];
  }

  /** Call it when the library has finished with a stanza. Returns the chunk if it is lost. */
  ended(id: string): "finished" | "missing" | HistoryChunk {
    const { rows, logger } = this.#session;
    const row = rows.get(rowKeyOf(id));
    const known = row === undefined ? null : (JSON.parse(row.toString()) as Missing);
    const announced = this.#announced.get(id);
    const chunk = announced ?? known;
    if (!chunk) return "finished";
    const { sync_type, progress } = chunk;
    const since = known?.since ?? this.#session.now();
    if (announced?.gone || this.#session.now() - since >= GIVE_UP_AFTER_MS) {
      this.#announced.delete(id);
      if (known !== null) rows.put(rowKeyOf(id), null);
      logger.warn({ sync_type, progress }, "history.lost");
      return { sync_type, progress };
    }
    if (known === null) {
      rows.put(rowKeyOf(id), JSON.stringify({ sync_type, progress, since } satisfies Missing));
      logger.warn({ sync_type, progress }, "history.delayed");
    }
    return "missing";
  }
}

type Identity = { syncType?: unknown; chunkOrder?: number | null; peerDataRequestSessionId?: string | null };

function identityOf({ syncType, chunkOrder, peerDataRequestSessionId }: Identity): string {
  return JSON.stringify([syncType, chunkOrder ?? null, peerDataRequestSessionId ?? null]);
}

export const historyChunksOf = perSession((session) => new HistoryChunks(session));
