import { groupedPhone } from "./phone.ts";

export type ChatKind = "direct" | "group" | "channel";
type Named = { kind: ChatKind; name: string | null; phone: string | null };

/** `hidden` contains the titles of chats without a name or number. An `…@lid` id is internal to the network, so it is never shown. */
export function chatTitle({ kind, name, phone }: Named, hidden: Record<ChatKind, string>): string {
  if (name !== null && name !== "") return name;
  return phone === null ? hidden[kind] : groupedPhone(phone);
}

export function kindOfChat(chatId: string): ChatKind {
  if (chatId.endsWith("@g.us")) return "group";
  return chatId.endsWith("@newsletter") ? "channel" : "direct";
}

/** Returns null for groups, channels and hidden numbers. */
export function phoneOfChat(chatId: string): string | null {
  return /^(\d{7,15})@c\.us$/.exec(chatId)?.[1] ?? null;
}

const DAY_MS = 86_400_000;

/** `now` and `at` are in Unix ms and are compared in the reader's time zone. Returns null for any other day. */
export function dayName(at: number, now: number): "today" | "yesterday" | null {
  const day = (time: number) => new Date(time).toDateString();
  if (day(at) === day(now)) return "today";
  // Compares with noon, because days on which the clocks change have 23 or 25 hours.
  return day(at) === day(new Date(now).setHours(12) - DAY_MS) ? "yesterday" : null;
}

/** The id of the oldest unread message, if any: among the messages from others, the `unread` newest ones are unread. */
export function firstUnread(messages: readonly { message_id: string; from_me: boolean }[], unread: number): string | undefined {
  const theirs = messages.filter(({ from_me }) => !from_me);
  return unread === 0 ? undefined : theirs.at(-Math.min(unread, theirs.length))?.message_id;
}

const NOT_SENT: ReadonlySet<string | null | undefined> = new Set([undefined, null, "pending", "failed"]);

type Stored = { message_id: string; status: string | null };
type Outgoing = {
  message_id: string;
  stored_id?: string | undefined;
  refused: { code: string } | null;
  accepted: { at: number; waits: boolean } | null;
};

export const isUncertain = ({ refused }: Pick<Outgoing, "refused">) => refused?.code === "send_outcome_unknown";

type Held = { at: string; refused: { code: string } | null };

/**
 * Returns the texts that are sent again once the server responds: those that had no response, and those that waited behind them. The
 * idempotency key makes this safe. Texts from before `since`, in Unix ms, need a click.
 */
export function unanswered<O extends Held>(outgoing: readonly O[], since: number): ReadonlySet<O> {
  const found = new Set<O>();
  let isBehind = false;
  for (const each of outgoing) {
    if (each.refused === null) continue;
    isBehind = Date.parse(each.at) >= since && (each.refused.code === "offline" || (isBehind && each.refused.code === "queued"));
    if (isBehind) found.add(each);
  }
  return found;
}

export const storedIdOf = ({ message_id, stored_id }: Pick<Outgoing, "message_id" | "stored_id">) => stored_id ?? message_id;

type Waiting = { sends: readonly { message_id: string }[]; readAt: number };

/**
 * Returns the stored messages, followed by the outgoing texts. A refused text replaces its stored, failed message. `askedAt` is when the
 * messages were requested, and `waiting.readAt` is when the waiting sends were received, in Unix ms.
 */
export function withOutgoing<M extends Stored, O extends Outgoing>(
  stored: readonly M[],
  outgoing: readonly O[],
  { askedAt, waiting, bubbleOf }: { askedAt: number; waiting: Waiting; bubbleOf: (each: O) => M },
): { shown: M[]; settled: O[] } {
  const statuses = new Map(stored.map(({ message_id, status }) => [message_id, status]));
  const isSettled = (each: O) => {
    const id = storedIdOf(each);
    const status = statuses.get(id);
    const isSent = !NOT_SENT.has(status);
    // A request that started before the acceptance may still return a failed attempt. If a later one does not return the text, the text is
    // waiting to be sent, or is older than this page.
    if (each.accepted !== null) {
      const { at, waits } = each.accepted;
      if (isSent || status === "pending" || waiting.sends.some(({ message_id }) => message_id === id)) return true;
      // Keeps showing a waiting text here until the list of waiting sends has been read again.
      return askedAt >= at && (!waits || waiting.readAt >= at);
    }
    // The response was lost, but the message was sent.
    return each.refused !== null && isSent;
  };
  const isHere = (each: O) => (statuses.get(storedIdOf(each)) ?? "failed") !== "failed";
  const bubbles = outgoing.filter((each) => !isHere(each) && !isUncertain(each) && !isSettled(each));
  const replaced = new Set(bubbles.map(storedIdOf));
  return {
    shown: [...stored.filter(({ message_id }) => !replaced.has(message_id)), ...bubbles.map(bubbleOf)],
    settled: outgoing.filter(isSettled),
  };
}

/** `types` maps each known type to its name. */
export function typeName(types: Readonly<Record<string, string>>, type: string): string {
  return Object.hasOwn(types, type) ? (types[type] ?? type) : type;
}

/** A URL that phones open in their maps app. */
export function mapHref({ latitude, longitude }: { latitude: number; longitude: number }): string {
  return `https://www.google.com/maps/search/?api=1&query=${latitude},${longitude}`;
}
