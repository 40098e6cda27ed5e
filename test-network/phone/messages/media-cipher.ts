// How clients encrypt files. The media host only sees `sealed`.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

export type MediaFamily = "Image" | "Video" | "Audio" | "Document" | "History" | "App State";

export type SealedMedia = {
  sealed: Buffer;
  mediaKey: Buffer;
  fileSha256: Buffer;
  fileEncSha256: Buffer;
  fileLength: number;
};

const MAC_BYTES = 10;

export function sealMedia(plain: Buffer, family: MediaFamily): SealedMedia {
  const mediaKey = randomBytes(32);
  const { iv, cipherKey, macKey } = expand(mediaKey, family);
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  const sealed = Buffer.concat([ciphertext, mac(macKey, iv, ciphertext)]);
  return { sealed, mediaKey, fileSha256: sha256(plain), fileEncSha256: sha256(sealed), fileLength: plain.length };
}

/** Returns null if the MAC or the padding does not match the key. */
export function openMedia(sealed: Buffer, mediaKey: Uint8Array, family: MediaFamily): Buffer | null {
  const { iv, cipherKey, macKey } = expand(mediaKey, family);
  const ciphertext = sealed.subarray(0, -MAC_BYTES);
  const expected = mac(macKey, iv, ciphertext);
  const given = sealed.subarray(-MAC_BYTES);
  if (given.length !== MAC_BYTES || !timingSafeEqual(given, expected)) return null;
  const decipher = createDecipheriv("aes-256-cbc", cipherKey, iv);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    return null;
  }
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function mac(macKey: Buffer, iv: Buffer, ciphertext: Buffer): Buffer {
  return createHmac("sha256", macKey).update(iv).update(ciphertext).digest().subarray(0, MAC_BYTES);
}

function expand(mediaKey: Uint8Array, family: MediaFamily): { iv: Buffer; cipherKey: Buffer; macKey: Buffer } {
  const keys = Buffer.from(hkdfSync("sha256", mediaKey, Buffer.alloc(0), `WhatsApp ${family} Keys`, 112));
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) };
}
