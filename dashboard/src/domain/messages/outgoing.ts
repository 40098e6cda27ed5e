// The texts of a chat from the user's click until they are read as stored messages. Each has one state, which changes only here.
import type { Refusal } from "../../api/refusal.ts";
import type { ResponseBody } from "../../contract.ts";

type Message = ResponseBody<"GET /connections/{id}/chats/{chat_id}/messages">["data"][number];

export type OutgoingState =
  /** The text is being sent, or waits for the text before it. */
  | { kind: "waiting" }
  /** Not attempted, because a text before it was not sent, or because its writer may no longer expect it to be sent. */
  | { kind: "held" }
  /** The server did not respond. The request can be repeated safely, because its key stays the same. */
  | { kind: "unanswered"; refusal: Refusal }
  | { kind: "refused"; refusal: Refusal }
  /** The network did not confirm the message, so a repetition could arrive as a second message. */
  | { kind: "uncertain"; refusal: Refusal }
  /** `at` is in Unix ms, by the clock of this browser. `waits` means that the gateway sends the message later. */
  | { kind: "accepted"; at: number; waits: boolean };

export type Outgoing = {
  /** Chosen here, so that the stored message is recognized before the response arrives, and is stored only once. */
  message_id: string;
  /** The id of the stored message. Differs from `message_id` only for Cloud API numbers, where the gateway chooses the ids. */
  stored_id?: string | undefined;
  /** The id of the next text's stored message, if that was accepted and this one not. Their times may be equal. */
  before?: string | undefined;
  idempotencyKey: string;
  text: string;
  /** The phones of the mentioned people. The text has them after `@`. */
  mentions?: readonly string[];
  quoted: Message["quoted"];
  at: string;
  state: OutgoingState;
};

type Texts = readonly Outgoing[];

const WAITING: OutgoingState = { kind: "waiting" };
const HELD: OutgoingState = { kind: "held" };
/** After these refusals by the network, the gateway replays the response for the same key (src/domain/admission/idempotency.ts). */
const REPLAYED: ReadonlySet<number> = new Set([403, 422]);
const DAY_SECONDS = 86_400;

export const newOutgoing = (given: Omit<Outgoing, "state">): Outgoing => ({ ...given, state: WAITING });

const isWaiting = ({ state }: Pick<Outgoing, "state">) => state.kind === "waiting";
export const isUncertain = ({ state }: Pick<Outgoing, "state">) => state.kind === "uncertain";
/** True if only a retry can send the text. */
export const isNotSent = ({ state }: Pick<Outgoing, "state">) =>
  state.kind === "held" || state.kind === "unanswered" || state.kind === "refused";

export const refusalOf = ({ state }: Pick<Outgoing, "state">): Refusal | null => ("refusal" in state ? state.refusal : null);

/**
 * Until this time, in Unix ms, a retry could lead to a ban, because the network blocks a text of the chat. A block without a known end counts
 * for a day. 0 if nothing is blocked.
 */
export const blockedUntil = (texts: Texts): number => Math.max(0, ...texts.map(blockEnd));

function blockEnd(text: Outgoing): number {
  const refusal = refusalOf(text);
  return refusal?.code === "temporarily_blocked" ? Date.parse(text.at) + (refusal.retryAfter ?? DAY_SECONDS) * 1_000 : 0;
}

export const storedIdOf = ({ message_id, stored_id }: Pick<Outgoing, "message_id" | "stored_id">) => stored_id ?? message_id;

/** Texts are sent one at a time and in order. */
export const nextOf = (texts: Texts): Outgoing | undefined => texts.find(isWaiting);

/** The gateway names the stored message even if its send failed. */
export function failed(text: Outgoing, refusal: Refusal): Outgoing {
  const stored_id = (refusal.details as { message_id?: string } | null)?.message_id ?? undefined;
  return { ...text, stored_id, state: stateAfter(refusal) };
}

function stateAfter(refusal: Refusal): OutgoingState {
  if (refusal.code === "offline") return { kind: "unanswered", refusal };
  return { kind: refusal.code === "send_outcome_unknown" ? "uncertain" : "refused", refusal };
}

export function markAccepted(texts: Texts, messageId: string, storedId: string, accepted: { at: number; waits: boolean }): Texts {
  const place = texts.findIndex(({ message_id }) => message_id === messageId);
  return texts.map((each, at) => {
    if (at === place) return { ...each, stored_id: storedId, state: { kind: "accepted", ...accepted } };
    return at < place && isNotSent(each) && each.before === undefined ? { ...each, before: storedId } : each;
  });
}

/** Holds the later texts back, because they would arrive out of order, and may raise the risk of a ban. */
export function markFailed(texts: Texts, messageId: string, refusal: Refusal): Texts {
  const isHeld = stateAfter(refusal).kind !== "uncertain";
  return texts.map((each) => {
    if (each.message_id === messageId) return failed(each, refusal);
    return isHeld && isWaiting(each) ? { ...each, state: HELD } : each;
  });
}

/** The text keeps its key, unless the gateway would replay the refusal. */
export function markRetried(texts: Texts, messageId: string, given: { at: string; newKey: string }): Texts {
  return texts.map((each) => {
    if (each.message_id !== messageId) return each;
    const isReplayed = REPLAYED.has(refusalOf(each)?.status ?? 0);
    const idempotencyKey = isReplayed ? given.newKey : each.idempotencyKey;
    return { ...each, stored_id: undefined, before: undefined, idempotencyKey, at: given.at, state: WAITING };
  });
}

/**
 * Holds back the waiting texts from before `since`, in Unix ms. If the server responds again (`isBack`), the later ones without a response
 * are sent again, with the texts that they held back. Returns the same array if nothing changes.
 */
export function markResumed(texts: Texts, { since, isBack }: { since: number; isBack: boolean }): Texts {
  let isBehind = false;
  const resumed = texts.map((each) => {
    const isOld = Date.parse(each.at) < since;
    const now = isOld && isWaiting(each) ? { ...each, state: HELD } : each;
    const { kind } = now.state;
    if (kind === "waiting" || kind === "accepted") return now;
    isBehind = isBack && !isOld && (kind === "unanswered" || (isBehind && kind === "held"));
    return isBehind ? { ...now, state: WAITING } : now;
  });
  return resumed.every((each, at) => each === texts[at]) ? texts : resumed;
}

const NOT_SENT: ReadonlySet<string | null | undefined> = new Set([undefined, null, "pending", "failed"]);

type Stored = { message_id: string; status: string | null; at: string };
type Waiting = { sends: readonly { message_id: string }[]; readAt: number };

/**
 * Returns the stored messages, followed by the outgoing texts. A text that was not sent keeps the place of its stored, failed message, which
 * it replaces, or of its time. `askedAt` is when the messages were requested, and `waiting.readAt` is when the waiting sends were received,
 * in Unix ms.
 */
export function withOutgoing<M extends Stored>(
  stored: readonly M[],
  outgoing: Texts,
  { askedAt, waiting, bubbleOf }: { askedAt: number; waiting: Waiting; bubbleOf: (each: Outgoing) => M },
): { shown: M[]; settled: Outgoing[] } {
  const statuses = new Map(stored.map(({ message_id, status }) => [message_id, status]));
  const isSettled = (each: Outgoing) => {
    const id = storedIdOf(each);
    const status = statuses.get(id);
    const isSent = !NOT_SENT.has(status);
    // A request that started before the acceptance may still return a failed attempt. If a later one does not return the text, the text is
    // waiting to be sent, or is older than this page.
    if (each.state.kind === "accepted") {
      const { at, waits } = each.state;
      if (isSent || status === "pending" || waiting.sends.some(({ message_id }) => message_id === id)) return true;
      // Keeps showing a waiting text here until the list of waiting sends has been read again.
      return askedAt >= at && (!waits || waiting.readAt >= at);
    }
    // The response was lost, but the message was sent.
    return !isWaiting(each) && isSent;
  };
  const isHere = (each: Outgoing) => (statuses.get(storedIdOf(each)) ?? "failed") !== "failed";
  const bubbles = outgoing.filter((each) => !isHere(each) && !isUncertain(each) && !isSettled(each));
  const replaced = new Set(bubbles.map(storedIdOf));
  const places = bubbles.map((each) => placeOf(each, stored));
  const bubblesAt = (place: number) => bubbles.filter((_each, no) => places[no] === place).map(bubbleOf);
  return {
    shown: [
      ...stored.flatMap((each, place) => [...bubblesAt(place), ...(replaced.has(each.message_id) ? [] : [each])]),
      ...bubblesAt(stored.length),
    ],
    settled: outgoing.filter(isSettled),
  };
}

/** The index of the stored message before which the text is shown, or the number of stored messages. */
function placeOf(text: Outgoing, stored: readonly Stored[]): number {
  if (!isNotSent(text)) return stored.length;
  const own = stored.findIndex(({ message_id }) => message_id === storedIdOf(text));
  const next = stored.findIndex(({ message_id, at }) => message_id === text.before || Date.parse(at) > Date.parse(text.at));
  return own >= 0 ? own : next >= 0 ? next : stored.length;
}

/** A text as the browser stored it in format 2. */
type OutgoingInFormat2 = Omit<Outgoing, "idempotencyKey" | "state"> & {
  click: string;
  refused: (Omit<Refusal, "code"> & { code: Refusal["code"] | "queued" }) | null;
  accepted: { at: number; waits: boolean } | null;
};

export function fromFormat2({ click, refused, accepted, ...rest }: OutgoingInFormat2): Outgoing {
  return { ...rest, idempotencyKey: click, state: stateInFormat2(refused, accepted) };
}

function stateInFormat2(refused: OutgoingInFormat2["refused"], accepted: OutgoingInFormat2["accepted"]): OutgoingState {
  if (accepted !== null) return { kind: "accepted", ...accepted };
  if (refused === null) return WAITING;
  return refused.code === "queued" ? HELD : stateAfter(refused as Refusal);
}
