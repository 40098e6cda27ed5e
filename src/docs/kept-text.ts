// Public texts, each written once per isolate: the longest takes tens of milliseconds.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Settings } from "../env.ts";

export type KeptText = { bytes: Uint8Array<ArrayBuffer>; etag: string };

const kept = new WeakMap<Settings, Map<string, KeptText>>();

export function keptText(settings: Settings, name: string, write: () => string): KeptText {
  const texts = kept.get(settings) ?? new Map<string, KeptText>();
  kept.set(settings, texts);
  const known = texts.get(name);
  if (known !== undefined) return known;
  const bytes = new Uint8Array(utf8ToBytes(write()));
  const text = { bytes, etag: `"${bytesToHex(sha256(bytes)).slice(0, 32)}"` };
  texts.set(name, text);
  return text;
}
