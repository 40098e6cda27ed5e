import { describe, expect, it } from "vitest";
import { makeKey, parseKey } from "@gateway/domain/keys/api-key.ts";
import { makePairingToken, parsePairingToken } from "@gateway/domain/keys/pairing-token.ts";
import { secretsOf } from "./secrets-of.ts";

const secrets = secretsOf("2:second-secret-second-secret-second 1:first-secret-first-secret-first-secret");
const connection = "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b";
const random = (fill: number) => new Uint8Array(15).fill(fill);

describe("tokens of pairing links", () => {
  it("reveal their connection to holders of the secret only, also after it was rotated", () => {
    const { token, hash } = makePairingToken(secrets, connection, random(7));
    expect(token).toMatch(/^pair_[0-9A-Za-z]{60}$/);
    expect(parsePairingToken(secrets, token)).toEqual({ connection, hash });
    expect(parsePairingToken(secretsOf("2:another-secret-another-secret-another"), token)).toBeNull();
    const old = makePairingToken(secretsOf("1:first-secret-first-secret-first-secret"), connection, random(2));
    expect(parsePairingToken(secrets, old.token)?.connection).toBe(connection);
  });

  it("are refused after any change of one character", () => {
    const { token } = makePairingToken(secrets, connection, random(3));
    const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const places = Array.from({ length: 60 }, (_, index) => index + 5);
    const changed = places.flatMap((at) => [...letters].map((letter) => token.slice(0, at) + letter + token.slice(at + 1)));
    expect(changed.filter((other) => other !== token && parsePairingToken(secrets, other) !== null)).toEqual([]);
  });

  it("are not keys of the connection, and its keys are no tokens", () => {
    const { token } = makePairingToken(secrets, connection, random(4));
    const { key } = makeKey(secrets, connection, random(4));
    expect(parseKey(secrets, token.replace("pair_", "svc_"))).toBeNull();
    expect(parsePairingToken(secrets, key.replace("svc_", "pair_"))).toBeNull();
  });
});
