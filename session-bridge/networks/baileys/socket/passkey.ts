// Links accounts with a passkey (docs/internals/wire-protocol.md, "Linking with a passkey"). The owner's browser creates the assertion.
import { randomBytes } from "node:crypto";
import {
  aesEncryptGCM,
  Curve,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  hkdf,
  hmacSign,
  proto,
  S_WHATSAPP_NET,
  sha256,
  type AuthenticationCreds,
  type BinaryNode,
  type WASocket,
} from "baileys";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { PasskeyOptions, type PasskeyAssertion } from "@gateway/protocol/passkey.ts";
import { failureOfError, networkCode } from "../session/network-failures.ts";

/** How long the network accepts the proof of the QR secret. With this proof, the user does not have to compare a code. */
export const PASSKEY_SECONDS = 300;
const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME;
const SERVER = S_WHATSAPP_NET;

type Linking = { keys: ReturnType<typeof Curve.generateKeyPair>; nonce: Buffer; ref: string };

export class PasskeyCeremony {
  readonly #sock: WASocket;
  readonly #creds: AuthenticationCreds;
  readonly #handoffKey: Buffer;
  #linking: Linking | null = null;

  /** Replaces the secret of the scanned QR code or of the pairing code. The phone receives the new secret at the end of the ceremony. */
  constructor(sock: WASocket, creds: AuthenticationCreds) {
    this.#sock = sock;
    this.#creds = creds;
    this.#handoffKey = Buffer.from(hkdf(Buffer.from(creds.advSecretKey, "base64"), 32, { info: "shortcake-passkey-handoff-v1" }));
    creds.advSecretKey = randomBytes(32).toString("base64");
  }

  async options(notice: BinaryNode): Promise<Outcome<PasskeyOptions>> {
    try {
      const given = optionsIn(notice) ?? optionsIn(await this.#query("get", { tag: "passkey_request_options", attrs: {} }));
      return given === null ? fail("network_error") : { ok: true, value: given };
    } catch (error) {
      return fail(failureOfError(error, "account"));
    }
  }

  /** Forwards the assertion. When this resolves, the network has verified it. The phone then triggers `continue`. */
  async answer(assertion: PasskeyAssertion): Promise<Outcome<Record<string, never>>> {
    try {
      const reply = await this.#query("get", { tag: "ref", attrs: {} });
      const ref = getBinaryNodeChildBuffer(reply, "ref");
      if (ref === undefined) return fail("network_error");
      const linking = { keys: Curve.generateKeyPair(), nonce: randomBytes(32), ref: Buffer.from(ref).toString("utf8") };
      const identity = proto.CompanionEphemeralIdentity.encode({
        publicKey: linking.keys.public,
        deviceType: DEVICE_TYPE,
        ref: linking.ref,
      }).finish();
      const hash = sha256(Buffer.concat([identity, linking.nonce]));
      const payload = proto.ProloguePayload.encode({ companionEphemeralIdentity: identity, commitment: { hash } }).finish();
      // The state is set before the query, because the phone may send its key before the response arrives.
      this.#linking = linking;
      await this.#query("set", {
        tag: "passkey_prologue",
        attrs: {},
        content: [
          part("credential_id", Buffer.from(assertion.rawId, "base64url")),
          part("webauthn_assertion", Buffer.from(JSON.stringify(assertion))),
          part("prologue_payload", payload),
          part("pairing_handoff_proof", hmacSign(Buffer.from(payload), this.#handoffKey)),
        ],
      });
      return { ok: true, value: {} };
    } catch (error) {
      this.#linking = null;
      return networkCode(error) === null ? fail(failureOfError(error, "account")) : fail("passkey_refused");
    }
  }

  /** Called when the phone has sent its key. Returns the QR code's content, encrypted under the shared key. Throws on failure. */
  async continue(notice: BinaryNode): Promise<void> {
    const linking = this.#linking;
    const identity = getBinaryNodeChildBuffer(notice, "primary_ephemeral_identity");
    if (linking === null || identity === undefined) throw new Error("the phone continues a passkey exchange that was not started");
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(identity);
    if (publicKey?.length !== 32 || nonce?.length !== 32) throw new Error("the phone's key has another length");
    await this.#query("set", part("companion_nonce", linking.nonce));
    const key = hkdf(Curve.sharedKey(linking.keys.private, publicKey), 32, {
      salt: Buffer.from(`Companion Pairing ${DEVICE_TYPE} with ref ${linking.ref}`),
      info: "Pairing Information Encryption Key",
    });
    const request = proto.PairingRequest.encode({
      companionPublicKey: this.#creds.noiseKey.public,
      companionIdentityKey: this.#creds.signedIdentityKey.public,
      advSecret: Buffer.from(this.#creds.advSecretKey, "base64"),
    }).finish();
    const iv = randomBytes(12);
    const encryptedPayload = aesEncryptGCM(request, key, iv, Buffer.alloc(0));
    const sealed = proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
    await this.#query("set", part("encrypted_pairing_request", sealed));
  }

  async #query(type: "get" | "set", content: BinaryNode): Promise<BinaryNode> {
    const attrs = { to: SERVER, type, id: this.#sock.generateMessageTag(), xmlns: "md" };
    return this.#sock.query({ tag: "iq", attrs, content: [content] }) as Promise<BinaryNode>;
  }
}

function part(tag: string, content: Uint8Array): BinaryNode {
  return { tag, attrs: {}, content };
}

function optionsIn(stanza: BinaryNode): PasskeyOptions | null {
  const json = getBinaryNodeChildBuffer(stanza, "passkey_request_options");
  if (json === undefined) return null;
  try {
    return PasskeyOptions.safeParse(JSON.parse(Buffer.from(json).toString("utf8"))).data ?? null;
  } catch {
    return null;
  }
}

/** Appends empty references, because the library gives up after six QR codes, which leaves too little time to find a passkey. */
export function addSpareReferences(stanza: BinaryNode): void {
  const content = getBinaryNodeChild(stanza, "pair-device")?.content;
  if (!Array.isArray(content)) return;
  for (let spare = 0; spare < SPARE_REFERENCES; spare += 1) content.push(part("ref", Buffer.alloc(0)));
}

const SPARE_REFERENCES = Math.ceil((2 * PASSKEY_SECONDS) / 20) + 1;

export function isSpare(qr: string): boolean {
  return /(^|#),/.test(qr);
}
