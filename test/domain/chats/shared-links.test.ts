import { describe, expect, it } from "vitest";
import { isChannelId, readChannelKey, readInviteCode } from "@gateway/domain/chats/chat-id.ts";

describe("the id, code or link of a channel", () => {
  it.each([
    ["120363000000000001@newsletter", "120363000000000001@newsletter"],
    ["0029Va4K0PZ5a245NkngBA2M", "0029Va4K0PZ5a245NkngBA2M"],
    ["https://example.com/channel/0029Va4K0PZ5a245NkngBA2M", "0029Va4K0PZ5a245NkngBA2M"],
    [" example.com/channel/0029Va4K0PZ5a245NkngBA2M/?x=1 ", "0029Va4K0PZ5a245NkngBA2M"],
  ])("%s leads to %s", (text, key) => {
    expect(readChannelKey(text)).toBe(key);
  });

  it.each([
    "",
    "short",
    "5511900000002@c.us",
    "120363000000000001@g.us",
    "https://example.com/0029Va4K0PZ5a245NkngBA2M",
    "a b c d e f g h",
  ])("%j leads nowhere", (text) => {
    expect(readChannelKey(text)).toBeNull();
  });

  it("is an id or a code", () => {
    expect(isChannelId("120363000000000001@newsletter")).toBe(true);
    expect(isChannelId("0029Va4K0PZ5a245NkngBA2M")).toBe(false);
  });
});

it.each([
  ["AbCdEf0123456789xyz_-A", "AbCdEf0123456789xyz_-A"],
  ["  AbCdEf0123456789 ", "AbCdEf0123456789"],
  ["https://chat.example.com/AbCdEf0123456789", "AbCdEf0123456789"],
  ["chat.example.com/invite/AbCdEf0123456789", "AbCdEf0123456789"],
  ["https://chat.example.com/AbCdEf0123456789?mode=ac_t#x", "AbCdEf0123456789"],
  ["https://chat.example.com/AbCdEf0123456789/", "AbCdEf0123456789"],
])("an invite code is found in %s", (text, code) => expect(readInviteCode(text)).toBe(code));

it.each(["", "a b", "abc", "https://chat.example.com/", "https://chat.example.com/a/b/c/d", "código-inválido"])(
  "no invite code is found in %j",
  (text) => {
    expect(readInviteCode(text)).toBeNull();
  },
);
