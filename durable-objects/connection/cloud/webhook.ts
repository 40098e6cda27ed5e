// Receives Meta's webhooks. Responds to each webhook once its content is durable, and makes no call to Graph before that.
import { earliest } from "@gateway/protocol/units.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { type ChangeItem, type CloudStatus, readChange } from "@gateway/domain/cloud/changes.ts";
import type { CloudFile } from "@gateway/domain/cloud/view.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { WebhookStatus } from "#root/src/services/connections/stub.ts";
import { isStorageFailure } from "#root/src/services/exceptions.ts";
import type { CloudCredentials } from "./credentials.ts";
import type { CloudIdTables } from "./id-tables.ts";
import { CloudInbox, type InboxRow } from "./inbox.ts";
import { type SingleChange, takenApart } from "./single-changes.ts";
import { isSigned, textOf } from "./signature.ts";

export type CloudWebhookDependencies = {
  storage: Pick<DurableObjectStorage, "sql" | "transactionSync">;
  connection: () => string;
  credentials: Pick<CloudCredentials, "get" | "appSecrets">;
  ids: CloudIdTables;
  /** Events for the status of one of our messages, applied after `earlier`. Empty for messages that other apps sent. */
  statusEvents: (status: CloudStatus, now: number, earlier: readonly KeyedEvent[]) => KeyedEvent[];
  files: {
    want(messageId: string, chatId: ChatId, file: CloudFile, now: number): boolean;
    /** The file for a message being emitted, or null. A later file is emitted separately. */
    take(messageId: string, now: number): StoredMedia | null | "waiting";
  };
  settleRequest: (item: Extract<ChangeItem, { kind: "request" }>) => void;
  recheck: (now: number) => void;
  ignoresGroups: () => boolean;
  isPaused: () => boolean;
  commit: (events: KeyedEvent[], now: number) => void;
};

const PORTION = 200;
/** Maximum length of one stored change. Meta never sends longer ones. */
const MAX_CHANGE_CHARACTERS = 1_000_000;
/** Maximum total length of a webhook's changes, because each change repeats the fields that they share. */
const MAX_CHARACTERS = 16_000_000;

type ReadChange = { change: SingleChange; items: ChangeItem[]; chat: ChatId | null; receivedAt: number; media?: StoredMedia | null };
type Received = { messageId: string; chatId: ChatId; file: CloudFile };

export class CloudWebhook {
  readonly #deps: CloudWebhookDependencies;
  readonly #inbox: CloudInbox;

  constructor(deps: CloudWebhookDependencies) {
    this.#deps = deps;
    this.#inbox = new CloudInbox(deps.storage.sql);
  }

  /** True if this is the verify token in Meta's handshake. Compares digests, so that the token's length does not leak. */
  verify(token: string): boolean {
    const expected = this.#deps.credentials.get()?.verifyToken;
    return expected !== undefined && crypto.subtle.timingSafeEqual(digest(token), digest(expected));
  }

  async receive(bytes: Uint8Array, signature: string | null, now: number): Promise<WebhookStatus> {
    if (!(await isSigned(bytes, signature, this.#deps.credentials.appSecrets(now)))) return 401;
    try {
      return this.#deps.storage.transactionSync(() => this.#take(textOf(bytes) ?? "", now));
    } catch (error) {
      this.#inbox.forgetCounts();
      this.#log("cloud.webhook_failed", errorFields(error));
      return 500;
    }
  }

  fileArrived(chatId: ChatId): void {
    this.#inbox.release(chatId);
  }

  nextDue(now: number): number | null {
    return earliest([this.#inbox.unreadDue(), this.#deps.isPaused() ? null : this.#inbox.nextDue(now)]);
  }

  run(now: number): void {
    if ((this.#inbox.unreadDue() ?? Number.POSITIVE_INFINITY) <= now) this.#inbox.forgetUnread(now);
    if (this.#deps.isPaused()) return;
    try {
      this.#deps.storage.transactionSync(() => this.#drain(now));
    } catch (error) {
      this.#inbox.forgetCounts();
      throw error;
    }
  }

  #take(text: string, now: number): WebhookStatus {
    const credentials = this.#deps.credentials.get();
    const { changes, foreign, shapeless } = credentials === null ? NOTHING : takenApart(parsed(text), credentials);
    for (const field of new Set(foreign)) this.#log("cloud.change_foreign", { field });
    if (shapeless) this.#storeUnread("", "shape", text, now);
    const reads = this.#notTooLong(changes, text, now).map((change) => this.#read(change, now));
    const waitsAll = reads.length > PORTION || this.#deps.isPaused();
    const mayWait = ({ chat, items }: ReadChange) => waitsAll || (chat !== null && this.#inbox.has(chat)) || this.#received(items) !== null;
    if (!this.#inbox.hasSpaceFor(reads.length) && reads.some(mayWait)) {
      this.#log("cloud.inbox_full", { items: reads.length });
      return 503;
    }
    const applied = reads.filter((read) => !this.#journal(read, waitsAll, now));
    this.#apply(applied, now);
    return 200;
  }

  /** Returns the changes that fit. Stores each oversized one as unreadable, and `text` once if the changes are too long in total. */
  #notTooLong(changes: readonly SingleChange[], text: string, now: number): SingleChange[] {
    const fitting: SingleChange[] = [];
    let characters = 0;
    for (const change of changes) {
      const json = JSON.stringify(change);
      characters += json.length;
      if (characters > MAX_CHARACTERS) {
        this.#storeUnread(change.field, "too much", text, now);
        break;
      }
      if (json.length > MAX_CHANGE_CHARACTERS) this.#storeUnread(change.field, "too long", json, now);
      else fitting.push(change);
    }
    return fitting;
  }

  #journal({ change, chat, items }: ReadChange, waitsAll: boolean, now: number): boolean {
    const isBehind = waitsAll || (chat !== null && this.#inbox.has(chat));
    // Requests the file even if the chat is already waiting for another one, because files are fetched in parallel.
    const waits = !waitsAll && this.#asksForFile(this.#received(items), now);
    if (isBehind || waits) this.#inbox.add(change, chat, waits, now);
    return isBehind || waits;
  }

  /** Applies changes that no longer have to wait, and requests files that could not be requested earlier. */
  #drain(now: number): void {
    const rows: InboxRow[] = [];
    const reads: ReadChange[] = [];
    const waitingChats = new Set<ChatId>();
    for (const row of this.#inbox.next(PORTION, now)) {
      const isBehind = row.chat !== null && waitingChats.has(row.chat);
      if (isBehind && row.wantedAt !== null) continue;
      const read = this.#read(row.change, row.receivedAt);
      const media = this.#mediaOf(read, row.wantedAt, now);
      if (media === "waiting") {
        // The clock may have been set back since the file was requested.
        this.#inbox.waitForFile(row.no, Math.min(row.wantedAt ?? now, now));
        if (row.chat !== null) waitingChats.add(row.chat);
      } else if (!isBehind) {
        rows.push(row);
        reads.push({ ...read, media });
      }
    }
    if (rows.length === 0) return;
    // Removes the rows first, because no step may fail after the events are committed.
    this.#inbox.remove(rows);
    this.#apply(reads, now);
  }

  #mediaOf({ items }: ReadChange, wantedAt: number | null, now: number): StoredMedia | null | "waiting" {
    const received = this.#received(items);
    if (received === null) return null;
    if (wantedAt !== null) return this.#deps.files.take(received.messageId, now);
    return this.#asksForFile(received, now) ? "waiting" : null;
  }

  #asksForFile(received: Received | null, now: number): boolean {
    return received !== null && this.#deps.files.want(received.messageId, received.chatId, received.file, now);
  }

  /** Reads a change and stores its ids. A change that cannot be read becomes an `unreadable` item. */
  #read(change: SingleChange, receivedAt: number): ReadChange {
    const items = this.#itemsOf(change, receivedAt);
    const chat = items.map((item) => ("chatId" in item ? item.chatId : null)).find((id) => id !== null) ?? null;
    return { change, items, chat, receivedAt };
  }

  #itemsOf({ field, value }: SingleChange, receivedAt: number): ChangeItem[] {
    try {
      return readChange(field, value, this.#deps.ids, receivedAt);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      return [{ kind: "unreadable", field, reason: errorFields(error).error }];
    }
  }

  #received(items: readonly ChangeItem[]): Received | null {
    for (const item of items) {
      if (item.kind !== "event" || item.file === null || this.#isIgnored(item)) continue;
      const { event } = item.event;
      if (event.type !== "message.upsert") continue;
      return { messageId: event.message.message_id, chatId: event.message.chat_id, file: item.file };
    }
    return null;
  }

  #apply(reads: readonly ReadChange[], now: number): void {
    const events: KeyedEvent[] = [];
    for (const read of reads) for (const item of read.items) events.push(...this.#eventsOf(item, read, events, now));
    if (events.length > 0) this.#deps.commit(events, now);
    // Resolves the requests after the commit, so that their callers read the result.
    for (const { items } of reads) for (const item of items) if (item.kind === "request") this.#deps.settleRequest(item);
  }

  #eventsOf(item: ChangeItem, { change, receivedAt, media }: ReadChange, earlier: readonly KeyedEvent[], now: number): KeyedEvent[] {
    switch (item.kind) {
      case "event":
        return this.#isIgnored(item) ? [] : [withFile(item.event, item.file === null ? null : (media ?? null))];
      case "status":
        return this.#deps.statusEvents(item.status, now, earlier);
      case "moved": {
        const moved = this.#deps.ids.moved(item.from, item.to);
        return moved === null ? [] : [{ key: null, event: { type: "lid.mapped", ...moved } }];
      }
      case "recheck":
        this.#log("cloud.account_changed", { field: item.field });
        this.#deps.recheck(now);
        return [];
      case "error":
        this.#log("cloud.error_reported", { field: item.field, code: item.error.code });
        return [];
      case "unreadable":
        this.#storeUnread(item.field, item.reason, JSON.stringify(change), receivedAt);
        return [];
      case "ignored":
        this.#log("cloud.change_ignored", { field: item.field, reason: item.reason });
        return [];
      case "request":
        return [];
    }
  }

  #isIgnored({ chatId }: Extract<ChangeItem, { kind: "event" }>): boolean {
    return chatId !== null && chatKind(chatId) === "group" && this.#deps.ignoresGroups();
  }

  #storeUnread(field: string, reason: string, raw: string, now: number): void {
    this.#log("cloud.change_unreadable", { field, reason });
    this.#inbox.storeUnread(field, reason, raw, now);
  }

  #log(event: string, fields: Parameters<typeof log>[1]): void {
    log(event, { connection: this.#deps.connection(), ...fields });
  }
}

const NOTHING = { changes: [], foreign: [], shapeless: false };

function withFile(keyed: KeyedEvent, media: StoredMedia | null): KeyedEvent {
  const { event } = keyed;
  if (media === null || event.type !== "message.upsert") return keyed;
  return { ...keyed, event: { ...event, message: { ...event.message, media } } };
}

/** Replaces lone surrogates, which truncating a text can leave behind. Many customers' JSON parsers reject them. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value)) as unknown;
  } catch {
    return null;
  }
}

function digest(text: string): Uint8Array {
  return sha256(utf8ToBytes(text));
}
