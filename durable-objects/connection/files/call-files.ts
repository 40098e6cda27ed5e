// The files of one call. The worker holds them until this object stores them (src/protocol/connection.ts, `StoreFiles`).
import type { SendWindow } from "@gateway/domain/messages/send-window.ts";
import type { StoreFiles } from "@gateway/protocol/connection.ts";
import { type MediaRef, pendingPlace } from "@gateway/protocol/content.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { errorFields, log } from "#root/src/log.ts";

export class CallFiles {
  readonly #connection: string;
  readonly #store: StoreFiles | null;
  readonly #retentionMs: () => number;
  readonly #ready: () => Promise<Outcome<unknown>>;

  /** `ready` fails if the number is not connected and no session is being started. */
  constructor(connection: string, store: StoreFiles | null, retentionMs: () => number, ready: () => Promise<Outcome<unknown>>) {
    this.#connection = connection;
    this.#store = store;
    this.#retentionMs = retentionMs;
    this.#ready = ready;
  }

  /**
   * Replaces pending references with stored files. Files of a scheduled send (`later`) are kept longer, and are stored even while the
   * number is offline. Fails with `content_differs` if the call resumes an earlier one with other files.
   */
  async storeInto<T>(value: T, later: { extraMs: number } | null = null): Promise<Outcome<T>> {
    if (this.#store === null) return hasPending(value) ? fail("content_differs") : succeed(value);
    const ready = later === null ? await this.#ready() : succeed({});
    if (!ready.ok) return ready;
    const stored = await this.#storeAll(this.#store, later?.extraMs ?? 0);
    return stored.ok ? succeed(withStored(value, stored.value)) : stored;
  }

  async #storeAll(store: StoreFiles, extraMs: number): Promise<Outcome<MediaRef[]>> {
    try {
      return await store(this.#retentionMs() + extraMs);
    } catch (error) {
      // The worker's request has ended, so its files are lost. Nothing has been sent.
      log("connection.files_lost", { connection: this.#connection, ...errorFields(error) });
      return fail("unavailable");
    }
  }
}

function withStored<T>(value: T, stored: readonly MediaRef[]): T {
  if (typeof value !== "object" || value === null) return value;
  const place = pendingPlace(value);
  if (place !== null) return stored[place] as T;
  if (Array.isArray(value)) return value.map((item: unknown) => withStored(item, stored)) as T;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withStored(item as unknown, stored)])) as T;
}

export function hasPending(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return pendingPlace(value) !== null || Object.values(value).some((item) => hasPending(item));
}

export function filesIn(value: unknown): MediaRef[] {
  if (typeof value !== "object" || value === null) return [];
  if ("token" in value && "mimetype" in value && "size" in value) return [value as MediaRef];
  return Object.values(value).flatMap((item) => filesIn(item));
}

/** How much longer than the connection's retention time the files of this send must be stored. */
export function extraFileMs({ until }: SendWindow, now: number): number {
  return Math.ceil((until - now) / DAY_MS) * DAY_MS;
}
