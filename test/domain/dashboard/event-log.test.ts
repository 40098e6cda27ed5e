import { describe, expect, it } from "vitest";
import {
  append,
  clear,
  EMPTY_LOG,
  type EventLog,
  matches,
  MAX_EVENTS,
  pause,
  resume,
  shown,
  typesOf,
} from "#root/dashboard/src/domain/event-log.ts";

const event = (text: string, type = "message.received") => ({ kind: "event" as const, type, at: null, text });
const events = (count: number, prefix = "e") => Array.from({ length: count }, (_, n) => event(`${prefix}${n}`));
const texts = (log: EventLog) => shown(log).visible.map((entry) => (entry.kind === "event" ? entry.text : entry.kind));

describe("the console of live events", () => {
  it("shows the newest first, each with a key of its own", () => {
    const log = append(append(EMPTY_LOG, events(2)), events(1, "f"));
    expect(texts(log)).toEqual(["f0", "e1", "e0"]);
    expect(new Set(shown(log).visible.map(({ key }) => key)).size).toBe(3);
  });

  it("keeps 500 events, and says how many it has dropped", () => {
    const log = append(append(EMPTY_LOG, events(MAX_EVENTS)), events(3, "f"));
    expect(shown(log).visible).toHaveLength(MAX_EVENTS);
    expect([texts(log)[0], texts(log).at(-1), log.dropped]).toEqual(["f2", "e3", 3]);
  });

  it("does not move while paused, and loses nothing of 500", () => {
    const paused = pause(append(EMPTY_LOG, events(MAX_EVENTS)));
    const later = append(paused, events(MAX_EVENTS, "f"));
    expect([shown(later).visible.length, shown(later).waiting, later.dropped]).toEqual([MAX_EVENTS, MAX_EVENTS, 0]);
    expect(texts(later)[0]).toBe(`e${MAX_EVENTS - 1}`);
    const gone = resume(later);
    expect([texts(gone)[0], texts(gone).at(-1), shown(gone).waiting]).toEqual([`f${MAX_EVENTS - 1}`, "f0", 0]);
  });

  it("reports how many events a longer pause has lost", () => {
    const log = append(pause(append(EMPTY_LOG, events(1))), events(MAX_EVENTS + 2, "f"));
    expect([shown(log).waiting, log.dropped]).toEqual([MAX_EVENTS, 2]);
    expect(texts(log)).toEqual(["e0"]);
  });

  it("pauses once: a second time changes nothing", () => {
    const log = append(pause(append(EMPTY_LOG, events(1))), events(1, "f"));
    expect(texts(pause(log))).toEqual(["e0"]);
  });

  it("can be cleared, paused or not", () => {
    expect(texts(append(clear(append(EMPTY_LOG, events(2))), events(1, "f")))).toEqual(["f0"]);
    const paused = append(clear(pause(append(EMPTY_LOG, events(2)))), events(1, "f"));
    expect([texts(paused), shown(paused).waiting]).toEqual([[], 1]);
  });

  it("finds by type, by group and by text, whatever its case; marks stay", () => {
    const log = append(EMPTY_LOG, [event('{"text":"Olá"}'), event("{}", "instance.status"), { kind: "gap", from: null, to: 1 }]);
    const found = (filter: string, query: string) =>
      shown(log)
        .visible.filter((entry) => matches(entry, typesOf(filter), query))
        .map((entry) => (entry.kind === "event" ? entry.type : entry.kind));
    expect(found("", "olá")).toEqual(["gap", "message.received"]);
    expect(found("instance.status", "")).toEqual(["gap", "instance.status"]);
    expect(found("messages", "")).toEqual(["gap", "message.received"]);
    expect(found("labels", "")).toEqual(["gap"]);
  });
});
