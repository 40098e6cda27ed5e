// Passes KeyObjects to crypto. Given bytes, Node probes them with a call that throws, which costs more than the HMAC itself.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const WITH_KEY_ARGUMENT = ["createHmac", "createCipheriv", "createDecipheriv"] as const;
const INSTALLED = Symbol.for("session-bridge.keys-as-objects");

type Keyed = (algorithm: string, key: unknown, ...rest: unknown[]) => unknown;

export function keysAsObjects(): void {
  if (Object.hasOwn(crypto, INSTALLED)) return;
  Object.defineProperty(crypto, INSTALLED, { value: true });
  for (const name of WITH_KEY_ARGUMENT) {
    const original = crypto[name] as Keyed;
    Reflect.set(crypto, name, (algorithm: string, key: unknown, ...rest: unknown[]) => original(algorithm, objectOf(key), ...rest));
  }
  syncBuiltinESMExports();
}

function objectOf(key: unknown): unknown {
  return ArrayBuffer.isView(key) ? crypto.createSecretKey(key as NodeJS.ArrayBufferView) : key;
}
