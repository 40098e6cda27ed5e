// A browser vendor's push service, and the browser that decrypts what it receives.
import { createDecipheriv, createECDH, randomBytes } from "node:crypto";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { vi } from "vitest";
import { fromBase64, toBase64Url } from "@gateway/domain/base64.ts";

const HOST = "https://push.example.net/";
const text = (value: string) => new TextEncoder().encode(value);
const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

export type Notified = { title: string; body: string; tag: string; path: string };

export class PushService {
  /** Messages that each browser received and could decrypt, by endpoint. */
  readonly received: { endpoint: string; shown: Notified; key: string; headers: Headers }[] = [];
  readonly #browsers = new Map<string, FakeBrowser>();
  status = 201;
  asked = 0;
  /** No push is answered before this. */
  held: Promise<void> = Promise.resolve();

  constructor() {
    const fetch = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (typeof input !== "string" || !input.startsWith(HOST)) return fetch(input, init);
      this.asked += 1;
      await this.held;
      if (this.status >= 300) return new Response(null, { status: this.status });
      const browser = this.#browsers.get(input);
      if (browser === undefined) return new Response(null, { status: 410 });
      const headers = new Headers(init?.headers);
      const key = await signedBy(headers.get("authorization") ?? "");
      // A subscription accepts only the key that it was created with.
      if (key !== browser.serverKey) return new Response(null, { status: 403 });
      this.received.push({ endpoint: input, shown: browser.decrypt(init?.body as Uint8Array), key, headers });
      return new Response(null, { status: 201 });
    });
  }

  /** `PushManager.subscribe`. */
  subscribe(serverKey: string): FakeBrowser {
    const browser = new FakeBrowser(`${HOST}${crypto.randomUUID()}`, serverKey);
    this.#browsers.set(browser.endpoint, browser);
    return browser;
  }

  /** The user withdraws the permission, or the browser no longer exists. */
  drop(endpoint: string): void {
    this.#browsers.delete(endpoint);
  }
}

class FakeBrowser {
  readonly endpoint: string;
  readonly serverKey: string;
  readonly #pair = createECDH("prime256v1");
  readonly #auth = randomBytes(16);

  constructor(endpoint: string, serverKey: string) {
    this.endpoint = endpoint;
    this.serverKey = serverKey;
    this.#pair.generateKeys();
  }

  get keys(): { endpoint: string; p256dh: string; auth: string } {
    return { endpoint: this.endpoint, p256dh: toBase64Url(this.#pair.getPublicKey()), auth: toBase64Url(this.#auth) };
  }

  /** RFC 8291, section 3.4, from the receiver's side. */
  decrypt(body: Uint8Array): Notified {
    const [salt, theirs, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
    const info = joined(text("WebPush: info\0"), new Uint8Array(this.#pair.getPublicKey()), theirs);
    const secret = hkdf(sha256, new Uint8Array(this.#pair.computeSecret(theirs)), new Uint8Array(this.#auth), info, 32);
    const key = hkdf(sha256, secret, salt, text("Content-Encoding: aes128gcm\0"), 16);
    const decipher = createDecipheriv("aes-128-gcm", key, hkdf(sha256, secret, salt, text("Content-Encoding: nonce\0"), 12));
    decipher.setAuthTag(record.subarray(-16));
    const plain = joined(decipher.update(record.subarray(0, -16)), decipher.final());
    if (plain.at(-1) !== 2) throw new Error("not the last record");
    return JSON.parse(new TextDecoder().decode(plain.subarray(0, -1))) as Notified;
  }
}

/** Verifies the VAPID token (RFC 8292) and returns the server's public key. */
async function signedBy(authorization: string): Promise<string> {
  const [, token = "", key = ""] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? [];
  const [header = "", claims = "", signature = ""] = token.split(".");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const publicKey = await crypto.subtle.importKey("raw", fromBase64(key), algorithm, false, ["verify"]);
  const valid = await crypto.subtle.verify(algorithm, publicKey, fromBase64(signature), text(`${header}.${claims}`));
  const { aud, exp, sub } = JSON.parse(new TextDecoder().decode(fromBase64(claims))) as { aud: string; exp: number; sub: string };
  const seconds = exp - Date.now() / 1_000;
  if (!valid || `${aud}/` !== HOST || seconds <= 0 || seconds > 24 * 3_600 || !sub.startsWith("https://")) throw new Error("bad token");
  return key;
}
