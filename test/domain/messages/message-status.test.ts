import { expect, it } from "vitest";
import { markAccepted, isAccepted, type MessageProgress, applyReport, UNREPORTED } from "@gateway/domain/messages/message-status.ts";
import { REPORTED_STATUSES, type ReportedStatus } from "@gateway/protocol/message.ts";

const SENT: MessageProgress = markAccepted(UNREPORTED);

/** Status changes caused by these reports in this order, and the final status. */
function reported(statuses: readonly ReportedStatus[], start = SENT): { moves: ReportedStatus[]; end: MessageProgress } {
  const moves: ReportedStatus[] = [];
  let progress = start;
  for (const [at, status] of statuses.entries()) {
    const step = applyReport(progress, { status, at: at + 1 });
    if (step.moved) moves.push(status);
    progress = step.progress;
  }
  return { moves, end: progress };
}

/** All sequences of up to this many reports, including repetitions. */
function* sequences(length: number, begun: ReportedStatus[] = []): Generator<ReportedStatus[]> {
  yield begun;
  if (begun.length === length) return;
  for (const status of REPORTED_STATUSES) yield* sequences(length, [...begun, status]);
}

const ALL = [...sequences(6)];
const FORWARD: readonly ReportedStatus[] = ["delivered", "read", "played"];

it("the tests cover every order and repetition of six reports", () => {
  expect(ALL.filter((statuses) => statuses.length === 6)).toHaveLength(4 ** 6);
});

it("a message reports only statuses further than all before, whatever the order", () => {
  for (const statuses of ALL) {
    const ranks = reported(statuses)
      .moves.filter((status) => status !== "failed")
      .map((status) => FORWARD.indexOf(status));
    expect({ statuses, ranks }).toEqual({ statuses, ranks: [...new Set(ranks)].toSorted((a, b) => a - b) });
  }
});

it("a message reports a failure at most once, and only before any receipt", () => {
  for (const statuses of ALL) {
    const { moves } = reported(statuses);
    expect({ statuses, late: moves.lastIndexOf("failed") > 0 }).toEqual({ statuses, late: false });
  }
});

it("a message ends at the furthest status that was reported, in every order", () => {
  for (const statuses of ALL) {
    const furthest = FORWARD.findLast((status) => statuses.includes(status));
    const end = furthest ?? (statuses.includes("failed") ? "failed" : "sent");
    expect({ statuses, end: reported(statuses).end.status }).toEqual({ statuses, end });
  }
});

it("a message keeps the time of the first report of each status, even one too late to be reported itself", () => {
  for (const statuses of ALL) {
    const { end } = reported(statuses);
    const first = (status: ReportedStatus): number | null => (statuses.includes(status) ? statuses.indexOf(status) + 1 : null);
    expect({ statuses, times: [end.deliveredAt, end.readAt, end.playedAt] }).toEqual({ statuses, times: FORWARD.map(first) });
  }
});

it("a report that changes nothing returns the same progress", () => {
  const read = reported(["delivered", "read"]).end;
  expect(applyReport(read, { status: "delivered", at: 9 }).progress).toBe(read);
  expect(applyReport(read, { status: "failed", at: 9 }).progress).toBe(read);
});

it("a receipt overrides an earlier failure", () => {
  expect(reported(["failed", "delivered", "read"]).moves).toEqual(["failed", "delivered", "read"]);
});

it("an accepted message is marked as sent, and keeps a higher status", () => {
  expect(markAccepted(UNREPORTED).status).toBe("sent");
  expect(markAccepted(reported(["failed"]).end).status).toBe("sent");
  expect(markAccepted(reported(["read"]).end).status).toBe("read");
  expect(isAccepted("pending")).toBe(false);
  expect(isAccepted("failed")).toBe(false);
  expect(isAccepted("delivered")).toBe(true);
});
