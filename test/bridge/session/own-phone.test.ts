// The number's own phone: if it is off for 14 days, it is unlinked, after a warning (docs/internals/sessions.md, "A phone that is off").
import { describe, expect, it } from "vitest";
import { notePhone, OwnPhone } from "#root/session-bridge/networks/baileys/memory/own-phone.ts";

const DAY_MS = 86_400_000;

/** A phone with number 1 and LID 2, linked at 0; `again` is another process. */
function phoneOf(stored: { text?: string } = {}) {
  const kept = { read: () => stored.text, write: (text: string) => void (stored.text = text) };
  const phone = new OwnPhone(kept);
  phone.opened(0);
  const own = new Set(["55119000001", "20000000002"]);
  const isOwn = (jid: string) => own.has(jid.replace(/[:@].*/, ""));
  const note = (tag: string, attrs: Record<string, string>, day: number) => notePhone(phone, isOwn, { tag, attrs }, day * DAY_MS);
  return {
    sent: (day: number) => note("ack", { class: "message", from: "55119000009@s.whatsapp.net", id: "1" }, day),
    confirmed: (day: number, device = "") =>
      note(
        "receipt",
        { type: "sender", from: `55119000001${device}@s.whatsapp.net`, recipient: "55119000009@s.whatsapp.net", id: "1" },
        day,
      ),
    note,
    due: (day: number) => {
      const due = phone.due(day * DAY_MS);
      return typeof due === "number" ? due / DAY_MS : due;
    },
    again: () => phoneOf(stored),
  };
}

describe("a phone", () => {
  it("is reported off after ten days of unconfirmed sends, once a day, until it is there again", () => {
    const phone = phoneOf();
    phone.sent(0);
    phone.confirmed(0);
    phone.sent(2);
    expect([phone.due(3), phone.due(9.9)]).toEqual([undefined, undefined]);
    expect(phone.due(10)).toBe(0);
    expect([phone.due(10.5), phone.due(11)]).toEqual([undefined, 0]);
    phone.confirmed(12);
    expect([phone.due(12), phone.due(12.1), phone.due(30)]).toEqual([null, undefined, undefined]);
  });

  it("is not reported off if nothing was sent that it could have confirmed, or only just now", () => {
    const phone = phoneOf();
    phone.sent(0);
    phone.confirmed(0);
    expect(phone.due(40)).toBe(undefined);
    phone.sent(40);
    expect(phone.due(40.5)).toBe(undefined);
    phone.confirmed(40.6);
    expect(phone.due(60)).toBe(undefined);
  });

  it("is not reported off if it never confirmed anything; another linked device does not count", () => {
    const phone = phoneOf();
    for (const day of [0, 2, 8]) phone.sent(day);
    expect(phone.due(13)).toBe(undefined);
    const other = phoneOf();
    other.confirmed(0, ":7");
    for (const day of [0, 2, 8]) other.sent(day);
    expect(other.due(13), "another linked device is no phone").toBe(undefined);
  });

  it("is not reported off if its holder writes or reads there, by either address, in a group too", () => {
    const signs: [string, Record<string, string>][] = [
      ["message", { from: "55119000001@s.whatsapp.net", recipient: "55119000009@s.whatsapp.net", id: "1" }],
      ["message", { from: "120363000000000001@g.us", participant: "20000000002@lid", id: "1" }],
      ["receipt", { from: "20000000002@lid", type: "read-self", id: "1" }],
    ];
    for (const [tag, attrs] of signs) {
      const phone = phoneOf();
      phone.confirmed(0);
      phone.sent(3);
      phone.note(tag, attrs, 5);
      expect(phone.due(13)).toBe(undefined);
      phone.note("message", { ...attrs, offline: "1", t: String((4 * DAY_MS) / 1000) }, 6);
      phone.sent(7);
      expect([phone.due(14.9), phone.due(15)], "a delayed message counts from its own time").toEqual([undefined, 5]);
    }
  });

  it("is reported off, and back again, by the next process as well", () => {
    const phone = phoneOf();
    phone.confirmed(0);
    phone.sent(2);
    expect(phone.again().due(10)).toBe(0);
    const third = phone.again();
    third.confirmed(11);
    expect(third.again().due(11)).toBe(null);
  });
});
