// When problems of single sessions raise a fleet alarm, and when it ends.
import { describe, expect, it } from "vitest";
import { type Alarm, type BridgeReport, isRoutine, judge, signalsOf } from "@gateway/domain/fleet/alarms.ts";
import { alarmMail, outageMail } from "@gateway/domain/fleet/mails.ts";

const MINUTE = 60_000;

const report = (sessions: number, kind: string, code: string, had: number, away = 0): BridgeReport => ({
  sessions,
  away,
  troubles: [{ kind, code, total: had, sessions: had }],
});
const raisedBy = (...reports: BridgeReport[]): string[] =>
  judge(signalsOf(reports), [], 0).raised.map(({ kind, code }) => `${kind} ${code}`);

describe("an alarm", () => {
  it("is raised by five numbers with the same code, on whichever bridges they are", () => {
    expect(raisedBy(report(500, "close", "405", 2), report(500, "close", "405", 2))).toEqual([]);
    expect(raisedBy(report(500, "close", "405", 3), report(500, "close", "405", 2))).toEqual(["close 405"]);
  });

  it("is raised by more than 3 % of the sessions, but never by one number", () => {
    expect(raisedBy(report(10, "close", "403", 1))).toEqual([]);
    expect(raisedBy(report(10, "close", "403", 2))).toEqual(["close 403"]);
    expect(raisedBy(report(100, "ack", "479", 3))).toEqual([]);
    expect(raisedBy(report(100, "ack", "479", 4))).toEqual(["ack 479"]);
    expect(raisedBy(report(1_000, "unread", "message", 30))).toEqual([]);
    expect(raisedBy(report(1_000, "unread", "message", 31))).toEqual(["unread message"]);
  });

  it("is not raised by codes that healthy fleets always have", () => {
    for (const code of ["0", "408", "428", "503", "515"]) expect(raisedBy(report(100, "close", code, 100)), code).toEqual([]);
    expect(raisedBy(report(100, "iq", "404", 100))).toEqual([]);
    expect(raisedBy(report(100, "app_state", "wrong_mac", 100))).toEqual([]);
    expect(raisedBy(report(100, "app_state", "unreadable", 5))).toEqual(["app_state unreadable"]);
  });

  it("is raised if more than a tenth of the fleet, or of one bridge, is away", () => {
    expect(raisedBy(report(150, "close", "428", 15, 15))).toEqual([]);
    expect(raisedBy(report(150, "close", "428", 16, 16))).toEqual(["away no_line"]);
    expect(raisedBy(report(20, "close", "428", 3, 3), report(1_000, "close", "428", 0))).toEqual(["away no_line"]);
    expect(raisedBy(report(5, "close", "428", 1, 1))).toEqual([]);
  });
});

it("a storm raises one alarm, and ends once, ten minutes after it has fallen below half", () => {
  let alarms: Alarm[] = [];
  let raised = 0;
  let over = 0;
  const at = (minutes: number, had: number): void => {
    const step = judge(signalsOf([report(100, "close", "405", had)]), alarms, minutes * MINUTE);
    alarms = step.alarms;
    raised += step.raised.length;
    over += step.over.length;
  };
  for (let minute = 0; minute < 30; minute++) at(minute, minute % 2 === 0 ? 90 : 1);
  expect({ raised, over }).toEqual({ raised: 1, over: 0 });
  expect(alarms).toMatchObject([{ kind: "close", code: "405", sessions: 90, raisedAt: 0 }]);
  for (let minute = 30; minute < 39; minute++) at(minute, 0);
  expect({ raised, over }).toEqual({ raised: 1, over: 0 });
  at(39, 0);
  at(40, 0);
  expect({ raised, over, alarms }).toEqual({ raised: 1, over: 1, alarms: [] });
});

it("alarm emails describe the alarm in both languages, and name at most fifty connections", () => {
  const alarm = { kind: "close", code: "405", sessions: 48, raisedAt: 0, belowSince: null };
  const { text } = alarmMail([alarm], [{ ...alarm, code: "403", sessions: 7 }]);
  for (const line of [
    "- close 405: 48 números (docs/operate/monitoring.md#alarm-close-405)",
    "- close 403: 7 números no pico (docs/operate/monitoring.md#alarm-close)",
    "- close 405: 48 numbers (docs/operate/monitoring.md#alarm-close-405)",
    "- close 403: 7 numbers at the peak (docs/operate/monitoring.md#alarm-close)",
  ])
    expect(text.split("\n")).toContain(line);
  const names = Array.from({ length: 60 }, (_, n) => `Loja ${n}`);
  expect(outageMail(names).text.match(/^- Loja/gm)).toHaveLength(100);
  expect(outageMail(names).text).toContain("\n+ 10\n");
});

it("codes that every healthy fleet has are routine, and bans are not", () => {
  const codes = (kind: string, all: readonly string[]) => all.filter((code) => isRoutine({ kind, code }));
  expect(codes("close", ["515", "428", "401", "403", "405", "406"])).toEqual(["515", "428"]);
  expect(codes("iq", ["401", "mex_401", "429"])).toEqual(["401", "mex_401"]);
  expect(codes("ack", ["515", "463"])).toEqual([]);
});
