// A machine's address for moved connections. It is a public key, so that only this machine can open what is exported to it.
import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type JsonWebKey,
  type KeyObject,
} from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MOVE_KEY } from "../data-folder.ts";
import { writeAtomically } from "../files.ts";

const PREFIX = "gateway-";
const ADDRESS = /^gateway-([\w-]{43})$/;
const KEY_BYTES = 32;
const CURVE = { kty: "OKP", crv: "X25519" };

/** Creates the machine's key on the first call. */
export function ownAddress(dataFolder: string): string {
  return addressOf(createPublicKey(ownKey(dataFolder)));
}

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** Creates a new key for one file sent to this address, and the data from which the receiver derives the key. */
export function keyFor(address: string): { key: Buffer; sender: string } {
  const once = generateKeyPairSync("x25519");
  const sender = addressOf(once.publicKey);
  return { key: shared(once.privateKey, address, sender, address), sender };
}

export function keyFrom(dataFolder: string, sender: string): Buffer {
  return shared(ownKey(dataFolder), sender, sender, ownAddress(dataFolder));
}

function shared(own: KeyObject, other: string, sender: string, receiver: string): Buffer {
  const [, x = ""] = ADDRESS.exec(other) ?? [];
  const secret = diffieHellman({ privateKey: own, publicKey: createPublicKey({ key: { ...CURVE, x }, format: "jwk" }) });
  return Buffer.from(hkdfSync("sha256", secret, `${sender} ${receiver}`, "moved connection", KEY_BYTES));
}

function ownKey(dataFolder: string): KeyObject {
  const file = join(dataFolder, MOVE_KEY);
  if (!existsSync(file)) writeAtomically(file, JSON.stringify(generateKeyPairSync("x25519").privateKey.export({ format: "jwk" })));
  return createPrivateKey({ key: JSON.parse(readFileSync(file, "utf8")) as JsonWebKey, format: "jwk" });
}

function addressOf(key: KeyObject): string {
  return `${PREFIX}${key.export({ format: "jwk" }).x ?? ""}`;
}
