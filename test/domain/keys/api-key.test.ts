import { describe, expect, it } from "vitest";
import { keyHash, makeKey, parseKey } from "@gateway/domain/keys/api-key.ts";
import { secretsOf } from "./secrets-of.ts";

const secrets = secretsOf("2:second-secret-second-secret-second 1:first-secret-first-secret-first-secret");
const connection = "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b";
const random = (fill: number) => new Uint8Array(15).fill(fill);

describe("connection keys", () => {
  it("reveal their connection to holders of the secret only", () => {
    const { key } = makeKey(secrets, connection, random(7));
    expect(key).toMatch(/^svc_[0-9A-Za-z]{60}$/);
    expect(parseKey(secrets, key)).toEqual({ connection, kid: 2 });
    expect(parseKey(secretsOf("2:another-secret-another-secret-another"), key)).toBeNull();
    expect(key).not.toContain(connection.slice(0, 8));
  });

  it("stay valid after the secret was rotated", () => {
    const old = makeKey(secretsOf("1:first-secret-first-secret-first-secret"), connection, random(9));
    expect(parseKey(secrets, old.key)).toEqual({ connection, kid: 1 });
  });

  it("are refused after any change of one character", () => {
    const { key } = makeKey(secrets, connection, random(3));
    const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const places = Array.from({ length: key.length - 4 }, (_, index) => index + 4);
    const changed = places.flatMap((at) => [...letters].map((letter) => key.slice(0, at) + letter + key.slice(at + 1)));
    expect(changed.filter((other) => other !== key && parseKey(secrets, other) !== null)).toEqual([]);
  });

  it.each(["", "svc_", "svc_short", `svc_${"z".repeat(60)}`, `SVC_${"0".repeat(60)}`, `svc_${"0".repeat(59)}é`])("refuse %j", (key) => {
    expect(parseKey(secrets, key)).toBeNull();
  });

  it("show a prefix that tells them apart and keep only a hash", () => {
    const a = makeKey(secrets, connection, random(1));
    const b = makeKey(secrets, connection, random(2));
    expect(a.prefix).not.toBe(b.prefix);
    expect(a.key.startsWith(a.prefix)).toBe(true);
    expect(a.hash).toBe(keyHash(a.key));
    expect(a.hash).toMatch(/^[0-9a-f]{64}$/);
  });
});
