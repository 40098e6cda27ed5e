// Verifies XEdDSA signatures with Node's Ed25519. curve25519-js takes tens of milliseconds per signature, and every group message has one.
import { createPublicKey, verify } from "node:crypto";
import { createRequire } from "node:module";

const SPKI_ED25519 = Buffer.from("302a300506032b6570032100", "hex");
const P = 2n ** 255n - 19n;
const SIGN_BIT = 0x80;

/** Takes a 32-byte Curve25519 key. Unlike curve25519-js, rejects small-order keys and unreduced scalars. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  // XEdDSA stores the sign of the Edwards point in the signature's top bit, because a Curve25519 key lacks it.
  const scalar = Buffer.from(signature);
  const sign = scalar.readUInt8(63) & SIGN_BIT;
  scalar.writeUInt8(scalar.readUInt8(63) - sign, 63);
  const point = edwardsY(publicKey);
  point.writeUInt8(point.readUInt8(31) | sign, 31);
  const key = createPublicKey({ key: Buffer.concat([SPKI_ED25519, point]), format: "der", type: "spki" });
  return verify(null, message, key, scalar);
}

export function verifyNatively(): void {
  const curve = createRequire(import.meta.url)("curve25519-js") as object;
  Reflect.set(curve, "verify", verifySignature);
}

function edwardsY(montgomery: Uint8Array): Buffer {
  const bytes = Buffer.from(montgomery).reverse();
  bytes.writeUInt8(bytes.readUInt8(0) & ~SIGN_BIT, 0);
  const u = BigInt(`0x${bytes.toString("hex")}`);
  const y = modulo((u - 1n) * inverse(modulo(u + 1n)));
  return Buffer.from(y.toString(16).padStart(64, "0"), "hex").reverse();
}

function inverse(value: bigint): bigint {
  let [rest, next] = [P, value];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return rest === 1n ? factor : 0n;
}

function modulo(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}
