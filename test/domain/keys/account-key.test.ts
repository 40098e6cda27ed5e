import { describe, expect, it } from "vitest";
import { kidOfAccountKey, makeAccountKey } from "@gateway/domain/keys/account-key.ts";
import { makeKey } from "@gateway/domain/keys/api-key.ts";
import { secretsOf } from "./secrets-of.ts";

const secrets = secretsOf("2:second-secret-second-secret-second 1:first-secret-first-secret-first-secret");
const random = (fill: number) => new Uint8Array(23).fill(fill);

describe("account keys", () => {
  it("have 43 characters, of which eight tell keys apart, and are stored as a hash only", () => {
    const made = makeAccountKey(secrets, random(7));
    expect(made.key).toMatch(/^acc_[A-Za-z0-9_-]{43}$/);
    expect(made.prefix).toBe(made.key.slice(0, 12));
    expect(made.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(() => makeAccountKey(secrets, new Uint8Array(22))).toThrow("23 random bytes");
  });

  it("are verified by the secret alone, also after a rotation", () => {
    const { key } = makeAccountKey(secrets, random(1));
    expect(kidOfAccountKey(secrets, key)).toBe(2);
    expect(kidOfAccountKey(secretsOf("2:another-secret-another-secret-another"), key)).toBeNull();
    const old = makeAccountKey(secretsOf("1:first-secret-first-secret-first-secret"), random(2));
    expect(kidOfAccountKey(secrets, old.key)).toBe(1);
  });

  it("are refused after any change of one character", () => {
    const { key } = makeAccountKey(secrets, random(3));
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const places = Array.from({ length: key.length - 4 }, (_, index) => index + 4);
    const changed = places.flatMap((at) => [...letters].map((letter) => key.slice(0, at) + letter + key.slice(at + 1)));
    expect(changed.filter((other) => other !== key && kidOfAccountKey(secrets, other) !== null)).toEqual([]);
  });

  it.each(["", "acc_", `acc_${"z".repeat(43)}`, `acc_${"0".repeat(42)}é`, `ACC_${"0".repeat(43)}`])("refuse %j", (key) => {
    expect(kidOfAccountKey(secrets, key)).toBeNull();
  });

  it("are not accepted as keys of a connection", () => {
    const connection = makeKey(secrets, "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b", new Uint8Array(15).fill(4));
    expect(kidOfAccountKey(secrets, connection.key)).toBeNull();
  });
});
