import { expect, it } from "vitest";
import { readInviteCode } from "../../src/domain/invite-code.ts";

it.each([
  ["AbCdEf0123456789xyz_-A", "AbCdEf0123456789xyz_-A"],
  ["  AbCdEf0123456789 ", "AbCdEf0123456789"],
  ["https://chat.example.com/AbCdEf0123456789", "AbCdEf0123456789"],
  ["chat.example.com/invite/AbCdEf0123456789", "AbCdEf0123456789"],
  ["https://chat.example.com/AbCdEf0123456789?mode=ac_t#x", "AbCdEf0123456789"],
  ["https://chat.example.com/AbCdEf0123456789/", "AbCdEf0123456789"],
])("finds the code in %s", (text, code) => expect(readInviteCode(text)).toBe(code));

it.each(["", "a b", "abc", "https://chat.example.com/", "https://chat.example.com/a/b/c/d", "código-inválido"])(
  "finds none in %j",
  (text) => {
    expect(readInviteCode(text)).toBeNull();
  },
);
