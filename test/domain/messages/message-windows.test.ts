import { describe, expect, it } from "vitest";
import { isOneEmoji } from "@gateway/domain/messages/characters.ts";
import { deleteRefusal, editRefusal } from "@gateway/domain/messages/change-rules.ts";
import { formatCard, readCard } from "@gateway/domain/messages/vcard.ts";

const SENT = 1_800_000_000;
const after = (seconds: number) => (SENT + seconds) * 1000;
const own = { fromMe: true, timestamp: SENT };
const others = { fromMe: false, timestamp: SENT };

describe("a message may be edited", () => {
  it.each([
    ["by its author, in time", { ...own, type: "text" }, "b", 900, null],
    ["in its caption", { ...own, type: "image" }, "😀".repeat(1_024), 0, null],
    ["not after 15 minutes", { ...own, type: "text" }, "b", 901, "edit_window_closed"],
    ["not by others", { ...others, type: "text" }, "b", 1, "forbidden"],
    ["not into too many words", { ...own, type: "video" }, "a".repeat(1_025), 1, "validation_error"],
    ["not where it has no words", { ...own, type: "location" }, "b", 1, "not_supported"],
  ] as const)("%s", (_what, message, text, seconds, code) => {
    expect(editRefusal(message, text, after(seconds))?.code ?? null).toBe(code);
  });
});

describe("a message may be deleted for everyone", () => {
  it.each([
    ["by its author, in time", own, false, 216_000, null],
    ["by an admin, in time", others, true, 216_000, null],
    ["not after two and a half days", own, false, 216_001, "delete_window_closed"],
    ["not by an admin, after that", others, true, 216_001, "delete_window_closed"],
    ["not by others", others, false, 1, "forbidden"],
  ] as const)("%s", (_what, message, isAdmin, seconds, code) => {
    expect(deleteRefusal(message, isAdmin, after(seconds))?.code ?? null).toBe(code);
  });
});

describe("a reaction", () => {
  it.each(["👍", "❤", "❤️", "👩‍👩‍👧‍👦", "🇧🇷", "👍🏽", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "😮‍💨", "©"])("is one emoji: %s", (text) => {
    expect(isOneEmoji(text)).toBe(true);
  });
  it.each(["", "a", "👍👍", "👍 ", "ok", "1", "🇧🇷🇵🇹", "👍a", "👍".repeat(30)])("is not accepted if it is not one emoji: %j", (text) => {
    expect(isOneEmoji(text)).toBe(false);
  });
});

describe("a vCard", () => {
  it("made of fields has a waid, and is read back the same", () => {
    const card = formatCard({
      fullName: "Ana; Souza, Filha\n2",
      phone: "5511900000003",
      organization: "ACME, Ltda",
      email: "ana@example.com",
    });
    expect(card.vcard.split("\n")).toEqual([
      "BEGIN:VCARD",
      "VERSION:3.0",
      "N:;Ana\\; Souza\\, Filha 2;;;",
      "FN:Ana\\; Souza\\, Filha 2",
      "ORG:ACME\\, Ltda",
      "TEL;type=CELL;type=VOICE;waid=5511900000003:+5511900000003",
      "EMAIL:ana@example.com",
      "END:VCARD",
    ]);
    expect(readCard(card.vcard)).toEqual({ full_name: "Ana; Souza, Filha 2", phone: "5511900000003", vcard: card.vcard });
  });

  it("yields its name and number if it is complete", () => {
    const folded = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A very\r\n  long name\r\nitem1.TEL;TYPE=cell:+55 (11) 90000-0003\r\nEND:VCARD\r\n";
    expect(readCard(folded)).toEqual({ full_name: "A very long name", phone: "5511900000003", vcard: folded });
    expect(readCard("BEGIN:VCARD\nVERSION:2.1\nN:Souza;Ana\nEND:VCARD")).toMatchObject({ full_name: "Ana Souza", phone: null });
  });

  it.each(["", "FN:Ana", "BEGIN:VCARD\nVERSION:3.0\nEND:VCARD", "BEGIN:VCARD\nFN:\nEND:VCARD", "BEGIN:VCARD\nFN:Ana"])(
    "is refused if it is invalid: %j",
    (text) => {
      expect(readCard(text)).toBeNull();
    },
  );
});
