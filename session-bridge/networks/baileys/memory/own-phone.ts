// Tracks when the phone was last seen. It confirms its copies of our sends, so we assume that it is off when the confirmations stop.
import type { BinaryNode } from "baileys";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { addressOf, isPerson } from "../addressing/jids.ts";
import type { TextRow } from "../session/session-context.ts";

const UNSEEN_AFTER_MS = 10 * DAY_MS;
/** A running phone confirms within seconds. A phone that takes longer than this may be off. */
const ANSWER_MS = DAY_MS;
const RECENT_MS = DAY_MS;
const SAVE_INTERVAL_MS = HOUR_MS;
const SKEW_MS = HOUR_MS;
/** The report is repeated, in case the object missed an earlier report. */
const REPEAT_MS = DAY_MS;

/** Times in Unix ms. */
type PhoneActivity = {
  seenAt: number;
  /** Time of the first unconfirmed message. */
  askedAt: number | null;
  /** The phone has confirmed at least one message. */
  confirms: boolean;
  reportedAt: number | null;
};

export class OwnPhone {
  readonly #row: TextRow;
  #seen: PhoneActivity | null = null;
  #savedAt = 0;

  constructor(row: TextRow) {
    this.#row = row;
  }

  opened(now: number): void {
    if (this.#known() === null) this.#save({ seenAt: now, askedAt: null, confirms: false, reportedAt: null }, now);
  }

  noticed(at: number, confirming: boolean, now: number): void {
    const known = this.#known();
    if (known === null) return;
    const confirms = known.confirms || confirming;
    const seen: PhoneActivity = {
      seenAt: Math.max(known.seenAt, Math.min(at, now)),
      askedAt: null,
      confirms,
      reportedAt: known.reportedAt,
    };
    // A queued stanza may be older than the unconfirmed message. It does not confirm that message.
    if (known.askedAt !== null && at < known.askedAt - SKEW_MS) seen.askedAt = known.askedAt;
    const isNews = confirms !== known.confirms || seen.askedAt !== known.askedAt;
    this.#seen = seen;
    if (isNews || now - this.#savedAt >= SAVE_INTERVAL_MS) this.#save(seen, now);
  }

  /** Call it when the network has accepted a message to another person. The phone receives a copy and must confirm it. */
  asked(now: number): void {
    const known = this.#known();
    if (known === null || known.askedAt !== null || now - known.seenAt < RECENT_MS) return;
    this.#save({ ...known, askedAt: now }, now);
  }

  /** When the phone was last seen (Unix ms). Null when it is back, and undefined if there is nothing to report. */
  due(now: number): number | null | undefined {
    const known = this.#known();
    if (known === null) return undefined;
    const { seenAt, askedAt, confirms, reportedAt } = known;
    const isUnseen = confirms && askedAt !== null && now - askedAt >= ANSWER_MS && now - seenAt >= UNSEEN_AFTER_MS;
    if (!isUnseen) {
      if (reportedAt === null) return undefined;
      this.#save({ ...known, reportedAt: null }, now);
      return null;
    }
    if (reportedAt !== null && now - reportedAt < REPEAT_MS) return undefined;
    this.#save({ ...known, reportedAt: now }, now);
    return seenAt;
  }

  #known(): PhoneActivity | null {
    this.#seen ??= JSON.parse(this.#row.read() ?? "null") as PhoneActivity | null;
    return this.#seen;
  }

  #save(seen: PhoneActivity, now: number): void {
    this.#seen = seen;
    this.#savedAt = now;
    this.#row.write(JSON.stringify(seen));
  }
}

export function notePhone(phone: OwnPhone, isOwn: (jid: string) => boolean, { tag, attrs }: BinaryNode, now: number): void {
  if (tag === "ack") {
    const isToPerson = isPerson(addressOf(attrs["from"])) && !isOwn(attrs["from"] ?? "");
    if (attrs["class"] === "message" && attrs["error"] === undefined && isToPerson) phone.asked(now);
    return;
  }
  if (tag !== "receipt" && tag !== "message") return;
  const from = attrs["participant"] ?? attrs["from"] ?? "";
  if (!isOwn(from) || !isPhone(from)) return;
  // Queued stanzas are dated by their own timestamp, and live ones by our clock, because of clock skew.
  const waited = attrs["offline"] !== undefined && attrs["t"] !== undefined;
  phone.noticed(waited ? Number(attrs["t"]) * 1_000 : now, tag === "receipt" && attrs["type"] === "sender", now);
}

function isPhone(jid: string): boolean {
  const [, device = "0"] = /:(\d+)@/.exec(jid) ?? [];
  return device === "0";
}
