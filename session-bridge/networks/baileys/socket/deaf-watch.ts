// Detects deaf sockets, which deliver nothing until the next login (docs/internals/sessions.md, "Silent sockets").
import type { BinaryNode, WASocket } from "baileys";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { TextRow } from "../session/session-context.ts";

const SLOT_MS = 5 * MINUTE_MS;
const SLOTS = 12;
const BUSY_SLOTS = 6;
const PART_MS = 30 * MINUTE_MS;
const PARTS = DAY_MS / PART_MS;
const MAX_DAYS = 7;
const DAYS_NEEDED = 3;
const SHORTEST_LIMIT_MS = 10 * MINUTE_MS;
const FACTOR = 2;
const SHORT_ABSENCE_MS = MINUTE_MS;
/** Stanzas that arrive this soon after a forced reconnect had been queued, which means that the socket was deaf. */
const WAITED_WINDOW_MS = 2 * MINUTE_MS;
const SAVE_INTERVAL_MS = PART_MS;

const ARRIVALS = new Set(["message", "status", "receipt", "notification", "call"]);

/** The longest silence (s) that followed steady traffic, for each part of the day (UTC), by date. */
type Past = Record<string, [day: number, seconds: number][]>;

export class DeafWatch {
  readonly #row: TextRow;
  readonly #past: Past;
  #slots: number[] = [];
  #lastAt: number | null = null;
  #openedAt: number | null = null;
  #closedAt: number | null = null;
  #interrupted = false;
  #cuts = 0;
  #savedAt = 0;

  constructor(row: TextRow) {
    this.#row = row;
    this.#past = JSON.parse(row.read() ?? "{}") as Past;
  }

  opened(now: number): void {
    if (this.#closedAt !== null && now - this.#closedAt > SHORT_ABSENCE_MS) this.#interrupted = true;
    this.#closedAt = null;
    this.#openedAt = now;
  }

  closed(now: number): void {
    this.#closedAt ??= now;
    this.#openedAt = null;
  }

  arrived(now: number): void {
    const hadWaited = this.#cuts > 0 && this.#openedAt !== null && now - this.#openedAt < WAITED_WINDOW_MS;
    if (this.#lastAt !== null && !this.#interrupted && !hadWaited && this.#isBusy(this.#lastAt)) this.#remember(this.#lastAt, now);
    const slot = Math.floor(now / SLOT_MS);
    if (this.#slots.at(-1) !== slot) this.#slots = [...this.#slots, slot].slice(-SLOTS);
    this.#lastAt = now;
    this.#interrupted = false;
    this.#cuts = 0;
  }

  /** The current silence (ms) if it is too long for this number at this hour, or null. Reports it again at twice the length. */
  deafFor(now: number): number | null {
    if (this.#lastAt === null || this.#openedAt === null || !this.#isBusy(this.#lastAt)) return null;
    const limit = this.#limitFrom(this.#lastAt);
    const silence = now - this.#lastAt;
    if (limit === null || silence <= limit * 2 ** this.#cuts) return null;
    // Silence before the socket opened does not count.
    if (this.#interrupted && now - this.#openedAt <= limit) return null;
    this.#cuts += 1;
    return silence;
  }

  #isBusy(at: number): boolean {
    const since = Math.floor(at / SLOT_MS) - SLOTS;
    return this.#slots.filter((slot) => slot > since).length >= BUSY_SLOTS;
  }

  /** A silence that begins late in one part of the day extends into the next, so the limits of both apply. */
  #limitFrom(at: number): number | null {
    const part = Math.floor((at % DAY_MS) / PART_MS);
    const own = this.#past[part] ?? [];
    if (own.length < DAYS_NEEDED) return null;
    const longest = Math.max(...[...own, ...(this.#past[(part + 1) % PARTS] ?? [])].map(([, seconds]) => seconds * 1_000));
    return Math.max(SHORTEST_LIMIT_MS, FACTOR * longest);
  }

  #remember(from: number, now: number): void {
    const day = Math.floor(from / DAY_MS);
    const part = Math.floor((from % DAY_MS) / PART_MS);
    const seconds = Math.ceil((now - from) / 1_000);
    const days = (this.#past[part] ??= []);
    const today = days.find(([known]) => known === day);
    if (today === undefined) days.push([day, seconds]);
    else today[1] = Math.max(today[1], seconds);
    this.#past[part] = days.slice(-MAX_DAYS);
    if (now - this.#savedAt < SAVE_INTERVAL_MS) return;
    this.#savedAt = now;
    this.#row.write(JSON.stringify(this.#past));
  }
}

export function watchArrivals(sock: WASocket, arrived: () => void): void {
  sock.ws.on("frame", (frame: BinaryNode | Uint8Array) => {
    if (!(frame instanceof Uint8Array) && ARRIVALS.has(frame.tag)) arrived();
  });
}
