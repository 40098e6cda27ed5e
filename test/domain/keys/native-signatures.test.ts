import { createHash, randomBytes } from "node:crypto";
import { generateKeyPair, sign, verify } from "curve25519-js";
import { describe, expect, it } from "vitest";
import { verifySignature } from "#root/session-bridge/process/native-signatures.ts";

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

function bytesOf(seed: string): Buffer {
  return createHash("sha256").update(seed).digest();
}

function signed(seed: string, message: Uint8Array = bytesOf(`message ${seed}`)) {
  const pair = generateKeyPair(bytesOf(`key ${seed}`));
  return { key: Buffer.from(pair.public), message, signature: Buffer.from(sign(pair.private, message, null)) };
}

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return changed;
}

/** The same curve point in a signature whose scalar includes the group order. */
function unreduced(signature: Buffer): Buffer {
  const scalar = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) & (2n ** 255n - 1n);
  const sum = Buffer.from((scalar + ORDER).toString(16).padStart(64, "0"), "hex").reverse();
  sum.writeUInt8(sum.readUInt8(31) | (signature.readUInt8(63) & 0x80), 31);
  return Buffer.concat([signature.subarray(0, 32), sum]);
}

const seeds = Array.from({ length: 6 }, (_, index) => String(index));

describe("signatures verified by Node", () => {
  it("are accepted and refused as by curve25519-js", () => {
    expect(verify).not.toBe(verifySignature);
    for (const seed of seeds) {
      const { key, message, signature } = signed(seed);
      const bit = Number(seed) * 83;
      const cases = {
        genuine: [key, message, signature],
        "another message": [key, bytesOf("another"), signature],
        "a changed key": [flipped(key, bit % 255), message, signature],
        "a key whose unused bit is set": [flipped(key, 255), message, signature],
        "a changed signature": [key, message, flipped(signature, bit)],
        "the other sign": [key, message, flipped(signature, 511)],
        "random bytes": [key, message, randomBytes(64)],
      } as const;
      const answers = (ask: typeof verify) => Object.entries(cases).map(([name, [k, m, s]]) => [name, ask(k, m, s)]);
      expect(answers(verifySignature)).toEqual(answers(verify));
      expect(verifySignature(key, message, signature)).toBe(true);
    }
  });

  it("cover messages of any length", () => {
    for (const length of [0, 1, 63, 64, 65, 5_000]) {
      const { key, message, signature } = signed(String(length), Buffer.alloc(length, 7));
      expect([length, verifySignature(key, message, signature)]).toEqual([length, true]);
    }
  });

  it("are refused with keys and signatures of a wrong length", () => {
    const { key, message, signature } = signed("length");
    expect(verifySignature(key.subarray(1), message, signature)).toBe(false);
    expect(verifySignature(key, message, signature.subarray(1))).toBe(false);
  });

  it("are refused where curve25519-js accepts a forgery: keys of small order and unreduced scalars", () => {
    const { key, message, signature } = signed("order");
    const zeros = Buffer.alloc(32);
    const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]);
    // With a key of order two, this signature is valid for every other message.
    const forged = seeds.map(bytesOf).find((text) => verify(zeros, text, identity)) ?? zeros;
    const forgeries = [
      [key, message, unreduced(signature)],
      [zeros, forged, identity],
    ] as const;
    expect(forgeries.map(([k, m, s]) => verifySignature(k, m, s))).toEqual([false, false]);
    expect(forgeries.map(([k, m, s]) => verify(k, m, s))).toEqual([true, true]);
  });
});
