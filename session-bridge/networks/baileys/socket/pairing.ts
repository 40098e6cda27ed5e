// Links by QR or code. Works around two defects of Baileys rc14: it reuses retired QR secrets, and returns codes before they are accepted.
import { randomBytes } from "node:crypto";
import {
  aesEncryptCTR,
  Browsers,
  bytesToCrockford,
  derivePairingCodeKey,
  getCompanionPlatformId,
  jidEncode,
  S_WHATSAPP_NET,
  type AuthenticationCreds,
  type BinaryNode,
  type WASocket,
} from "baileys";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { failureOfError } from "../session/network-failures.ts";

/** Lifetimes of the first QR code and of each later one (docs/internals/wire-protocol.md, "Pairing"). */
const FIRST_QR_SECONDS = 60;
const NEXT_QR_SECONDS = 20;
/** Time to type the code. The network closes the socket after about the same time. */
const CODE_SECONDS = 160;

const UNANSWERED: ReadonlySet<string> = new Set(["unavailable", "network_timeout"]);

/** Client name for pairing by code. The network validates it and rejects custom names. */
const CODE_BROWSER = Browsers.macOS("Chrome");

export type Qr = { raw: string; attempt: number; lifeSeconds: number };
export type PairingCode = { code: string; expires_at: number };

export class Pairing {
  readonly #creds: () => AuthenticationCreds;
  #attempt = 0;
  #currentQr: Qr | null = null;
  #pendingCode: { phone: string; code: string; expiresAt: number } | null = null;

  constructor(creds: () => AuthenticationCreds) {
    this.#creds = creds;
  }

  reset(): void {
    this.#attempt = 0;
    this.#currentQr = null;
  }

  /** Baileys builds all of a socket's QR codes with the socket's first secret, so this inserts the current secret. */
  nextQr(qr: string): Qr {
    this.#attempt += 1;
    const lifeSeconds = this.#attempt === 1 ? FIRST_QR_SECONDS : NEXT_QR_SECONDS;
    this.#currentQr = { raw: this.#withCurrentSecret(qr), attempt: this.#attempt, lifeSeconds };
    return this.#currentQr;
  }

  /** Call it when the network retires the QR's secret. Returns the replacement, or null when no code is displayed. */
  rotateSecret(): Qr | null {
    const creds = this.#creds();
    // When pairing by code, the secret is derived from the code.
    if (creds.registered || creds.account) return null;
    creds.advSecretKey = randomBytes(32).toString("base64");
    if (this.#currentQr === null) return null;
    this.#currentQr = { ...this.#currentQr, raw: this.#withCurrentSecret(this.#currentQr.raw) };
    return this.#currentQr;
  }

  async requestCode(sock: WASocket, phone: string, wanted: string | null, now: number): Promise<Outcome<PairingCode>> {
    if (this.#currentQr === null) return fail("qr_not_available");
    const code = wanted ?? bytesToCrockford(randomBytes(5));
    const refused = await this.#register(sock, phone, code);
    if (refused !== null) return refused;
    const expiresAt = Math.floor(now / 1000) + CODE_SECONDS;
    this.#pendingCode = { phone, code, expiresAt };
    return { ok: true, value: { code, expires_at: expiresAt } };
  }

  /** Registers the code on the new socket, because the network often closes its socket (428) while the user is typing. */
  async renewCode(sock: WASocket, now: number): Promise<"none" | "renewed" | "refused"> {
    const wanted = this.#pendingCode;
    if (wanted === null || wanted.expiresAt * 1000 <= now) return "none";
    const failed = await this.#register(sock, wanted.phone, wanted.code);
    if (failed === null) return "renewed";
    if (UNANSWERED.has(failed.failure.code)) return "none";
    this.#pendingCode = null;
    return "refused";
  }

  get currentQr(): Qr | null {
    return this.#currentQr;
  }

  complete(): void {
    this.reset();
    this.#pendingCode = null;
  }

  async #register(sock: WASocket, phone: string, code: string): Promise<Extract<Outcome<never>, { ok: false }> | null> {
    const creds = this.#creds();
    const jid = jidEncode(phone, "s.whatsapp.net");
    try {
      const reply = await sock.query(await companionHello(sock, creds, jid, code));
      if (reply === undefined) return fail("network_timeout");
    } catch (error) {
      return fail(failureOfError(error, "person"));
    }
    // The identity is set last, because once `me` is set, a reconnect would try to log in.
    creds.pairingCode = code;
    creds.me = { id: jid, name: "~" };
    return null;
  }

  #withCurrentSecret(qr: string): string {
    const [place = "", data = ""] = qr.split("#");
    const fields = data.split(",");
    fields[3] = this.#creds().advSecretKey;
    return `${place}#${fields.join(",")}`;
  }
}

async function companionHello(sock: WASocket, creds: AuthenticationCreds, jid: string, code: string): Promise<BinaryNode> {
  const node = (tag: string, content: Uint8Array | string): BinaryNode => ({ tag, attrs: {}, content });
  return {
    tag: "iq",
    attrs: { to: S_WHATSAPP_NET, type: "set", id: sock.generateMessageTag(), xmlns: "md" },
    content: [
      {
        tag: "link_code_companion_reg",
        attrs: { jid, stage: "companion_hello", should_show_push_notification: "true" },
        content: [
          node("link_code_pairing_wrapped_companion_ephemeral_pub", await wrappedEphemeral(creds, code)),
          node("companion_server_auth_key_pub", creds.noiseKey.public),
          node("companion_platform_id", getCompanionPlatformId(CODE_BROWSER)),
          node("companion_platform_display", `${CODE_BROWSER[1]} (${CODE_BROWSER[0]})`),
          // The same value as the network's own client sends. The library sends "0", which the network may stop accepting.
          node("link_code_pairing_nonce", Uint8Array.of(0)),
        ],
      },
    ],
  };
}

async function wrappedEphemeral(creds: AuthenticationCreds, code: string): Promise<Buffer> {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const key = await derivePairingCodeKey(code, salt);
  return Buffer.concat([salt, iv, aesEncryptCTR(creds.pairingEphemeralKeyPair.public, key, iv)]);
}
