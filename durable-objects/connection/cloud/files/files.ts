// Files of received messages. A message waits up to ten seconds for its file. A later file is added to the stored message.
import { keyOf } from "@gateway/domain/cloud/ids.ts";
import { failureOf } from "@gateway/domain/cloud/failures.ts";
import { notAhead } from "@gateway/domain/clock-set-back.ts";
import { type CloudFile, fileIn } from "@gateway/domain/cloud/view.ts";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { StoredMedia } from "@gateway/protocol/message.ts";
import { DAY_MS, HOUR_MS, earliest } from "@gateway/protocol/units.ts";
import type { GraphError } from "../graph.ts";
import { type FetchDependencies, fetchFile, type FetchResult } from "./fetch-file.ts";
import { TransferSlots } from "./transfer-slots.ts";
import { readNumber } from "#root/durable-objects/shared/read-number.ts";

export type FileDependencies = Omit<FetchDependencies, "refused" | "connection"> & {
  sql: SqlStorage;
  /** `download` means that files are fetched automatically. Null while the connection is being removed. */
  connection: () => { uuid: string; retentionMs: number; download: boolean } | null;
  /** Nothing is fetched while the number is disconnected, because attempts without a valid token would fail. */
  isConnected: () => boolean;
  /** True if the message is already stored: it was emitted without its file, or its webhook was repeated. */
  isStored: (messageId: string) => boolean;
  doubt: () => void;
  commit: (events: KeyedEvent[], now: number) => void;
  arrived: (chatId: ChatId) => void;
  rearm: () => void;
};

export const FILE_WAIT_MS = 10_000;

/** Number of concurrent fetches. It is low, because fetches share the object's connections with sends and webhooks. */
const CONCURRENCY = 2;
const FIRST_TRIES_MS = [0, 5_000, 30_000, 120_000];
const GIVE_UP_AFTER_MS = 6 * DAY_MS;
/** Maximum duration of an attempt, after which the alarm retries. */
const TRY_MS = 170_000;
const WAKE_AFTER_MS = 180_000;
/** Timeout for an on-demand fetch. It is shorter than the time that the operation waits for its file. */
const ON_DEMAND_MS = 55_000;
const HOPELESS: ReadonlySet<FetchResult> = new Set(["gone", "corrupt"]);

type CloudFileRow = {
  message_id: string;
  chat_id: ChatId;
  file: string;
  asked_at: number;
  tries: number;
  due_at: number | null;
  emitted: number;
  media: string | null;
};

export class CloudFiles {
  readonly #deps: FileDependencies;
  readonly #refusals: Refusals;
  readonly #slots = new TransferSlots(CONCURRENCY, {
    onFree: () => {
      if (this.#deps.connection() !== null) this.#deps.rearm();
    },
  });
  /** Running fetches, and when each is retried if the object is evicted. */
  readonly #running = new Map<string, number>();
  readonly #onDemand = new Map<string, Promise<FetchResult>>();
  /** True if a file must be fetched, null if unknown. The value is cached, because every event that the object handles needs it. */
  #hasRows: boolean | null = null;

  constructor(deps: FileDependencies) {
    this.#deps = deps;
    this.#refusals = new Refusals(deps.sql);
  }

  /** Returns true if the message must wait for the file, for at most `FILE_WAIT_MS`. After the wait, `take` returns the file. */
  want(messageId: string, chatId: ChatId, file: CloudFile, now: number): boolean {
    if (this.#deps.connection()?.download !== true || this.#deps.isStored(messageId)) return false;
    this.#deps.sql.exec(
      "INSERT OR IGNORE INTO cloud_files (message_id, chat_id, file, asked_at, tries, due_at, emitted) VALUES (?, ?, ?, ?, 0, ?, 0)",
      messageId,
      chatId,
      JSON.stringify(file),
      now,
      now,
    );
    this.#hasRows = true;
    this.run(now);
    return true;
  }

  /** The file of a message that is about to be stored. Null means that the file is added to the message later. */
  take(messageId: string, now: number): StoredMedia | null | "waiting" {
    const row = this.#find(messageId);
    if (row === null) return null;
    const { media, due_at, asked_at } = row;
    if (media === null && due_at !== null && now < asked_at + FILE_WAIT_MS) return "waiting";
    if (media === null && due_at !== null) this.#deps.sql.exec("UPDATE cloud_files SET emitted = 1 WHERE message_id = ?", messageId);
    else this.#forget(messageId);
    return media === null ? null : StoredMedia.parse(JSON.parse(media));
  }

  /** Fetches the file of a stored message now. Fails with `media_expired` when Meta no longer has it. `raw` is as in `NetworkMessage`. */
  async refetch(raw: string): Promise<Outcome<StoredMedia>> {
    const file = fileIn(raw);
    if (file === null) return fail("media_expired");
    const now = Date.now();
    const freeAt = this.#refusals.freeAt("first", now);
    if (freeAt > now) return fail("network_rate_limited", { retryAfter: Math.ceil((freeAt - now) / 1_000) });
    const fetched = await this.#fetchOnDemand(file, now);
    if (typeof fetched === "string") return fail(fetched === "gone" ? "media_expired" : "network_error");
    const { sql } = this.#deps;
    sql.exec("DELETE FROM cloud_files WHERE emitted = 1 AND json_extract(file, '$.mediaId') = ?", file.mediaId);
    return succeed(fetched);
  }

  nextDue(): number | null {
    if (!this.#isUsed() || !this.#deps.isConnected()) return null;
    const query = "SELECT min(due_at) FROM cloud_files WHERE due_at IS NOT NULL AND message_id NOT IN (SELECT value FROM json_each(?))";
    const due = readNumber(this.#deps.sql, query, this.#runningIds());
    return earliest([...this.#running.values(), ...(due === null || !this.#slots.isFree ? [] : [due])]);
  }

  run(now: number): void {
    if (!this.#isUsed() || !this.#deps.isConnected()) return;
    for (const [id, wakeAt] of this.#running) if (wakeAt <= now) this.#running.delete(id);
    const waits = { first: this.#refusals.freeAt("first", now), again: this.#refusals.freeAt("again", now) };
    const { sql } = this.#deps;
    if (waits.first > now) sql.exec("UPDATE cloud_files SET due_at = ? WHERE due_at <= ? AND tries = 0", waits.first, now);
    if (waits.again > now) sql.exec("UPDATE cloud_files SET due_at = ? WHERE due_at <= ? AND tries > 0", waits.again, now);
    for (let next = this.#due(now); next !== null && this.#slots.isFree; next = this.#due(now)) void this.#start(next, now);
  }

  clockSetBack(now: number): void {
    for (const [id, wakeAt] of this.#running) this.#running.set(id, notAhead(wakeAt, WAKE_AFTER_MS, now));
  }

  #isUsed(): boolean {
    this.#hasRows ??= this.#deps.sql.exec("SELECT 1 FROM cloud_files LIMIT 1").toArray().length > 0;
    return this.#hasRows;
  }

  async #start({ message_id: id, file }: CloudFileRow, now: number): Promise<void> {
    this.#running.set(id, now + WAKE_AFTER_MS);
    this.#deps.sql.exec("UPDATE cloud_files SET tries = tries + 1 WHERE message_id = ?", id);
    try {
      this.#ended(id, await this.#fetch(JSON.parse(file) as CloudFile, now + TRY_MS), Date.now());
      this.#running.delete(id);
    } catch (error) {
      log("cloud.file_failed", { connection: this.#deps.connection()?.uuid ?? null, ...errorFields(error) });
    }
    if (this.#deps.connection() === null) return;
    this.run(Date.now());
    this.#deps.rearm();
  }

  #ended(messageId: string, fetched: FetchResult, now: number): void {
    const { arrived, commit, connection, sql } = this.#deps;
    const uuid = connection()?.uuid;
    if (uuid === undefined) return;
    const row = this.#find(messageId);
    if (row === null) return this.#drop(fetched);
    const wasEmitted = row.emitted === 1;
    if (typeof fetched !== "string") {
      if (wasEmitted) {
        commit([mediaEvent(row, fetched)], now);
        this.#forget(messageId);
      } else {
        sql.exec("UPDATE cloud_files SET media = ?, due_at = NULL WHERE message_id = ?", JSON.stringify(fetched), messageId);
        arrived(row.chat_id);
      }
      return;
    }
    const due = nextTry(row, fetched, now);
    log("cloud.file_not_fetched", { connection: uuid, reason: fetched, tries: row.tries, again: due !== null });
    if (due === null && wasEmitted) this.#forget(messageId);
    else sql.exec("UPDATE cloud_files SET due_at = ? WHERE message_id = ?", due, messageId);
    if (due === null && !wasEmitted) arrived(row.chat_id);
  }

  /** Deletes a file that is no longer needed, because a caller has fetched it or the webhook was not stored. */
  #drop(fetched: FetchResult): void {
    const token = typeof fetched === "string" ? null : fetched.token;
    if (token !== null) this.#deps.bucket.delete(mediaKey(token)).catch(() => undefined);
  }

  #fetchOnDemand(file: CloudFile, now: number): Promise<FetchResult> {
    const known = this.#onDemand.get(file.mediaId);
    if (known !== undefined) return known;
    const fetching = this.#fetch(file, now + ON_DEMAND_MS).finally(() => this.#onDemand.delete(file.mediaId));
    this.#onDemand.set(file.mediaId, fetching);
    return fetching;
  }

  #fetch(file: CloudFile, deadlineAt: number): Promise<FetchResult> {
    const refused = (error: GraphError) => {
      if (this.#deps.connection() !== null) this.#refusals.add(Date.now());
      const verdict = failureOf(error, "media");
      if (verdict.kind === "refused" && verdict.doubted) this.#deps.doubt();
    };
    return this.#slots.run(() => fetchFile({ ...this.#deps, refused }, file, deadlineAt));
  }

  #due(now: number): CloudFileRow | null {
    const query = `SELECT * FROM cloud_files WHERE due_at <= ? AND message_id NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at LIMIT 1`;
    return this.#deps.sql.exec<CloudFileRow>(query, now, this.#runningIds()).toArray()[0] ?? null;
  }

  #find(messageId: string): CloudFileRow | null {
    return this.#deps.sql.exec<CloudFileRow>("SELECT * FROM cloud_files WHERE message_id = ?", messageId).toArray()[0] ?? null;
  }

  #forget(messageId: string): void {
    this.#deps.sql.exec("DELETE FROM cloud_files WHERE message_id = ?", messageId);
    this.#hasRows = null;
  }

  #runningIds(): string {
    return JSON.stringify([...this.#running.keys()]);
  }
}

function nextTry({ asked_at, tries }: CloudFileRow, why: FetchResult, now: number): number | null {
  if (why === "too_large") return null;
  const first = FIRST_TRIES_MS[tries];
  if (first !== undefined) return Math.max(now, asked_at + first);
  const next = now + HOUR_MS;
  return HOPELESS.has(why) || next > asked_at + GIVE_UP_AFTER_MS ? null : next;
}

function mediaEvent({ chat_id, message_id }: CloudFileRow, media: StoredMedia): KeyedEvent {
  return { key: keyOf("media", chat_id, message_id), event: { type: "message.media", chat_id, message_id, media } };
}

/** Number of Meta's refusals per hour at which retries (`again`) and first attempts (`first`) stop. At 20, Meta blocks the number. */
const HOURLY_LIMITS = { again: 10, first: 15 } as const;

class Refusals {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(now: number): void {
    this.#sql.exec("DELETE FROM cloud_file_refusals WHERE at <= ?", now - HOUR_MS);
    this.#sql.exec("INSERT INTO cloud_file_refusals (at) VALUES (?)", now);
  }

  /** The time at which the next file may be requested: now, or later if the hourly limit is reached. */
  freeAt(which: keyof typeof HOURLY_LIMITS, now: number): number {
    const query = "SELECT at FROM cloud_file_refusals WHERE at > ? ORDER BY at DESC LIMIT 1 OFFSET ?";
    const [oldest] = this.#sql.exec<{ at: number }>(query, now - HOUR_MS, HOURLY_LIMITS[which] - 1).toArray();
    return oldest === undefined ? now : oldest.at + HOUR_MS;
  }
}
