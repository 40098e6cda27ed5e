import { expect, it } from "vitest";
import { makeAccountKey } from "../../src/domain/account-key.ts";

it("makes an account key of 43 random characters, of which eight tell keys apart", () => {
  const made = makeAccountKey(new Uint8Array(32).fill(7));
  expect(made.key).toMatch(/^acc_[A-Za-z0-9_-]{43}$/);
  expect(made.prefix).toBe(made.key.slice(0, 12));
  expect(made.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(() => makeAccountKey(new Uint8Array(31))).toThrow("32 random bytes");
});
