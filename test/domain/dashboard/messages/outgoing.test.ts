// A sent text has one state until it is read as a stored message.
import { expect, it } from "vitest";
import type { Refusal } from "#root/dashboard/src/api/refusal.ts";
import {
  blockedUntil,
  fromFormat2,
  isNotSent,
  isUncertain,
  markAccepted,
  markFailed,
  markResumed,
  markRetried,
  newOutgoing,
  nextOf,
  type Outgoing,
  type OutgoingState,
  refusalOf,
  withOutgoing,
} from "#root/dashboard/src/domain/messages/outgoing.ts";

const refusal = (code: Refusal["code"], status = 0, details: Refusal["details"] = null): Refusal => ({
  code,
  status,
  details,
  requestId: null,
  retryAfter: null,
});
const [OFFLINE, REFUSED, UNCERTAIN] = [refusal("offline"), refusal("new_chat_refused", 403), refusal("send_outcome_unknown", 424)];
const STATES = {
  waiting: { kind: "waiting" },
  held: { kind: "held" },
  unanswered: { kind: "unanswered", refusal: OFFLINE },
  refused: { kind: "refused", refusal: REFUSED },
  uncertain: { kind: "uncertain", refusal: UNCERTAIN },
  accepted: { kind: "accepted", at: 1_000, waits: false },
} as const satisfies Record<OutgoingState["kind"], OutgoingState>;

/** `at` is in Unix ms. */
function text(kind: OutgoingState["kind"], message_id = "T", at = 2_000): Outgoing {
  const given = { message_id, idempotencyKey: `key of ${message_id}`, text: "Oi", quoted: null, at: new Date(at).toISOString() };
  return { ...newOutgoing(given), state: STATES[kind] };
}

const kindsOf = (texts: readonly Outgoing[]) => texts.map(({ state }) => state.kind);

it("a new text is sent after those before it", () => {
  const texts = [text("accepted", "A"), text("uncertain", "B"), text("waiting", "C"), text("waiting", "D")];
  expect([nextOf(texts)?.message_id, nextOf(texts.slice(0, 2))]).toEqual(["C", undefined]);
  expect(newOutgoing(text("waiting")).state).toEqual(STATES.waiting);
});

it("an accepted text has the id that the gateway has chosen", () => {
  const [accepted, next] = markAccepted([text("waiting", "A"), text("waiting", "B")], "A", "Stored", { at: 1_000, waits: false });
  expect([accepted, next]).toEqual([{ ...text("accepted", "A"), stored_id: "Stored" }, text("waiting", "B")]);
});

it("a refused or unanswered text holds back the texts after it, but an uncertain one does not", () => {
  const texts = [text("accepted", "A"), text("waiting", "B"), text("waiting", "C")];
  const after = (given: Refusal) => kindsOf(markFailed(texts, "B", given));
  expect([after(REFUSED), after(OFFLINE), after(UNCERTAIN)]).toEqual([
    ["accepted", "refused", "held"],
    ["accepted", "unanswered", "held"],
    ["accepted", "uncertain", "waiting"],
  ]);
});

it("a failed text keeps its reason, and the id of its stored message", () => {
  const given = refusal("send_outcome_unknown", 424, { message_id: "Stored" });
  const [failed] = markFailed([text("waiting")], "T", given);
  expect(failed && [failed.stored_id, refusalOf(failed)]).toEqual(["Stored", given]);
  expect([refusalOf(text("held")), refusalOf(text("waiting"))]).toEqual([null, null]);
});

it("a chat is blocked until its last block by the network ends, or for a day", () => {
  const blocked = (at: number, retryAfter: number | null): Outgoing => {
    const given = { ...refusal("temporarily_blocked", 423), retryAfter };
    return { ...text("refused", "T", at), state: { kind: "refused", refusal: given } };
  };
  expect([blockedUntil([]), blockedUntil([text("refused"), text("held")])]).toEqual([0, 0]);
  expect(blockedUntil([blocked(2_000, 60), text("held", "B"), blocked(1_000, 10)])).toBe(62_000);
  expect(blockedUntil([blocked(2_000, null)])).toBe(86_402_000);
});

it("a text is sent again under the same key, unless the gateway would replay the refusal", () => {
  const retried = (given: Outgoing) => markRetried([given, text("held", "B")], "T", { at: "later", newKey: "new" });
  const again = { ...text("waiting"), at: "later", stored_id: undefined, before: undefined };
  expect([retried(text("unanswered")), retried(text("held")), retried(text("refused"))]).toEqual([
    [again, text("held", "B")],
    [again, text("held", "B")],
    [{ ...again, idempotencyKey: "new" }, text("held", "B")],
  ]);
});

it("texts without a response are sent again, with the texts behind them, but neither refused nor old ones", () => {
  const resumed = (...kinds: OutgoingState["kind"][]) =>
    kindsOf(
      markResumed(
        kinds.map((kind) => text(kind)),
        { since: 1_000, isBack: true },
      ),
    );
  expect(resumed("unanswered", "held", "waiting", "held")).toEqual(["waiting", "waiting", "waiting", "waiting"]);
  expect(resumed("refused", "held", "unanswered", "held")).toEqual(["refused", "held", "waiting", "waiting"]);
  expect(resumed("uncertain", "accepted", "held")).toEqual(["uncertain", "accepted", "held"]);
  expect(kindsOf(markResumed([text("unanswered", "A", 999), text("held")], { since: 1_000, isBack: true }))).toEqual([
    "unanswered",
    "held",
  ]);
});

it("a text that waited too long is held back, and nothing else changes while the server does not respond", () => {
  const texts = [text("waiting", "A", 999), text("unanswered", "B"), text("waiting", "C")];
  const resumed = markResumed(texts, { since: 1_000, isBack: false });
  expect(kindsOf(resumed)).toEqual(["held", "unanswered", "waiting"]);
  // The same array, so that nothing is stored or rendered.
  expect(markResumed(resumed, { since: 1_000, isBack: false })).toBe(resumed);
});

it("a text that an earlier version of the page has stored keeps its state", () => {
  const { state: _state, idempotencyKey: click, ...rest } = text("waiting");
  const old = { ...rest, click, refused: null, accepted: null };
  const queued = { ...OFFLINE, code: "queued" as const };
  const read = [
    old,
    { ...old, refused: queued },
    ...[OFFLINE, REFUSED, UNCERTAIN].map((refused) => ({ ...old, refused })),
    { ...old, accepted: { at: 1_000, waits: false } },
  ];
  expect(read.map(fromFormat2)).toEqual(Object.keys(STATES).map((kind) => text(kind as OutgoingState["kind"])));
});

it("each state is shown as one of sending, not sent, uncertain and sent", () => {
  const all = Object.keys(STATES).map((kind) => text(kind as OutgoingState["kind"]));
  expect(kindsOf(all.filter(isNotSent))).toEqual(["held", "unanswered", "refused"]);
  expect(kindsOf(all.filter(isUncertain))).toEqual(["uncertain"]);
});

const bubbleOf = ({ message_id, at }: Outgoing) => ({ message_id, status: "bubble", at });
/** `at` is in Unix ms. */
const stored = (message_id: string, status: string, at = 1_000) => ({ message_id, status, at: new Date(at).toISOString() });

it("a text that was not sent stays above the messages after it", () => {
  const shown = (texts: readonly Outgoing[], ...messages: ReturnType<typeof stored>[]) =>
    withOutgoing(messages, texts, { askedAt: 0, waiting: { sends: [], readAt: 0 }, bubbleOf }).shown.map(({ message_id }) => message_id);
  const [first, later] = [stored("1", "read"), stored("2", "sent", 3_000)];
  // In place of its failed message, even if that has a later time.
  expect(shown([text("refused", "T", 9_000)], first, stored("T", "failed", 9_000), later)).toEqual(["1", "T", "2"]);
  // By its time, if no message is stored.
  expect(shown([text("unanswered", "A"), text("held", "B")], first, later)).toEqual(["1", "A", "B", "2"]);
  // By the text that was sent next, because times have a resolution of one second.
  const failed = markAccepted([text("refused", "A"), text("waiting", "B")], "B", "2", { at: 1_000, waits: false });
  expect(shown(failed, first, stored("2", "sent", 2_000))).toEqual(["1", "A", "2"]);
  // A text on its way is the newest.
  expect(shown([text("refused", "A"), text("waiting", "B")], first, later)).toEqual(["1", "A", "2", "B"]);
  expect(shown([text("refused", "A"), text("waiting", "B")])).toEqual(["A", "B"]);
});

it("a sent text is shown until the stored messages decide its outcome", () => {
  const NONE: { sends: { message_id: string }[]; readAt: number } = { sends: [], readAt: 0 };
  const shown = (status: string | null, state: OutgoingState, askedAt = 0, waiting = NONE) => {
    const messages = [stored("M", "read"), ...(status === null ? [] : [stored("T", status)])];
    const found = withOutgoing(messages, [{ ...text("waiting"), state }], { askedAt, waiting, bubbleOf });
    return [found.shown.slice(1).map((each) => each.status), found.settled.length === 1];
  };
  // Waiting for its send, or its answer.
  expect([shown(null, STATES.waiting), shown("sent", STATES.waiting)]).toEqual([
    [["bubble"], false],
    [["sent"], false],
  ]);
  const { accepted } = STATES;
  expect([shown(null, accepted, 999), shown(null, accepted, 1_000), shown("sent", accepted, 999), shown("failed", accepted, 999)]).toEqual([
    [["bubble"], false],
    [[], true],
    [["sent"], true],
    [["bubble"], false],
  ]);
  // A text that waits stays until the waiting sends show it, or were read without it.
  const later = { ...accepted, waits: true };
  expect([
    shown(null, later, 1_000),
    shown(null, later, 1_000, { sends: [{ message_id: "T" }], readAt: 0 }),
    shown(null, later, 999, { sends: [], readAt: 1_001 }),
    shown(null, later, 1_000, { sends: [], readAt: 1_001 }),
  ]).toEqual([
    [["bubble"], false],
    [[], true],
    [["bubble"], false],
    [[], true],
  ]);
  // Stored under the id that the gateway has chosen.
  const other = { ...text("accepted", "A"), stored_id: "B" };
  expect(withOutgoing([stored("B", "sent")], [other], { askedAt: 0, waiting: NONE, bubbleOf })).toMatchObject({
    shown: [{ message_id: "B" }],
    settled: [{ message_id: "A" }],
  });
  // Its failed message would be a second bubble.
  expect([shown(null, STATES.refused), shown("failed", STATES.refused), shown("sent", STATES.refused)]).toEqual([
    [["bubble"], false],
    [["bubble"], false],
    [["sent"], true],
  ]);
  const uncertain = [null, "pending", "failed", "sent", "read"].map((status) => shown(status, STATES.uncertain));
  expect(uncertain).toEqual([
    [[], false],
    [["pending"], false],
    [["failed"], false],
    [["sent"], true],
    [["read"], true],
  ]);
});
