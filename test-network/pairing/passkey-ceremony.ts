// Linking by passkey. The server verifies the assertion and forwards messages between phone and device.
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import type { BinaryNode } from "baileys";
import * as z from "zod";
import { done, refused, type Reply } from "../iq/reply.ts";
import { bytesOf, child, childrenOf, node, nowSeconds, SERVER_JID } from "../node.ts";
import { freshId } from "../notifications.ts";

const RELYING_PARTY = "whatsapp.com";
const ORIGIN = "https://web.whatsapp.com";
const WANTED_FLAGS = 0b101;

/** `form` says whether the request includes the options or the device requests them. Id and key are base64url, and the key is an SPKI. */
export const Passkey = z.object({
  form: z.enum(["sent", "asked"]),
  credential_id: z.base64url().min(1).max(1366),
  public_key: z.base64url().min(1).max(2048),
});
export type Passkey = z.infer<typeof Passkey>;

const Assertion = z.object({
  rawId: z.base64url(),
  type: z.literal("public-key"),
  response: z.object({ clientDataJSON: z.base64url(), authenticatorData: z.base64url(), signature: z.base64url() }),
});
const ClientData = z.object({ type: z.literal("webauthn.get"), challenge: z.string(), origin: z.literal(ORIGIN) });

/** The device's messages, or null if it disconnected first. */
export type CeremonySteps = {
  prologue: Promise<{ payload: Buffer; proof: Buffer | null } | null>;
  nonce: Promise<Buffer | null>;
  request: Promise<Buffer | null>;
};

export class PasskeyCeremony {
  readonly #passkey: Passkey;
  readonly #send: (stanza: BinaryNode) => void;
  readonly #challenge = randomBytes(32);
  readonly #ref = `3@${randomBytes(16).toString("base64")}`;
  readonly #prologue = Promise.withResolvers<{ payload: Buffer; proof: Buffer | null } | null>();
  readonly #nonce = Promise.withResolvers<Buffer | null>();
  readonly #request = Promise.withResolvers<Buffer | null>();
  #stage: "asked" | "prologue" | "continued" | "nonce" | "ended" = "asked";

  constructor(passkey: Passkey, send: (stanza: BinaryNode) => void) {
    this.#passkey = passkey;
    this.#send = send;
  }

  get steps(): CeremonySteps {
    return { prologue: this.#prologue.promise, nonce: this.#nonce.promise, request: this.#request.promise };
  }

  begin(): void {
    this.#notify("passkey_prologue_request", this.#passkey.form === "sent" ? [this.#options()] : undefined);
  }

  continue(primaryIdentity: Uint8Array): void {
    this.#stage = "continued";
    this.#notify("crsc_continuation", [node("primary_ephemeral_identity", {}, primaryIdentity)]);
  }

  answer(iq: BinaryNode): Reply {
    const [request] = childrenOf(iq);
    switch (request?.tag) {
      case "passkey_request_options":
        return done(this.#options());
      case "ref":
        return done(node("ref", {}, Buffer.from(this.#ref)));
      case "passkey_prologue":
        return this.#takePrologue(request);
      case "companion_nonce":
        return this.#take("continued", "nonce", this.#nonce, bytesOf(request));
      case "encrypted_pairing_request":
        return this.#take("nonce", "ended", this.#request, bytesOf(request));
      default:
        return refused(400);
    }
  }

  closed(): void {
    this.#prologue.resolve(null);
    this.#nonce.resolve(null);
    this.#request.resolve(null);
  }

  #takePrologue(request: BinaryNode): Reply {
    const payload = bytesOf(child(request, "prologue_payload"));
    const credential = bytesOf(child(request, "credential_id"));
    if (this.#stage !== "asked" || !payload || !credential) return refused(400);
    const proven =
      credential.toString("base64url") === this.#passkey.credential_id && this.#proves(bytesOf(child(request, "webauthn_assertion")));
    if (!proven) return refused(401);
    this.#stage = "prologue";
    this.#prologue.resolve({ payload, proof: bytesOf(child(request, "pairing_handoff_proof")) ?? null });
    return done();
  }

  #take(stage: string, next: "nonce" | "ended", step: PromiseWithResolvers<Buffer | null>, bytes: Buffer | undefined): Reply {
    if (this.#stage !== stage || !bytes) return refused(400);
    this.#stage = next;
    step.resolve(bytes);
    return done();
  }

  #proves(json: Buffer | undefined): boolean {
    const { rawId, response } = Assertion.safeParse(parsed(json)).data ?? {};
    if (response === undefined || rawId !== this.#passkey.credential_id) return false;
    const clientData = Buffer.from(response.clientDataJSON, "base64url");
    const client = ClientData.safeParse(parsed(clientData)).data;
    const authenticator = Buffer.from(response.authenticatorData, "base64url");
    const isOurs = sha256(Buffer.from(RELYING_PARTY)).equals(authenticator.subarray(0, 32));
    const isVerified = authenticator.length >= 37 && ((authenticator[32] ?? 0) & WANTED_FLAGS) === WANTED_FLAGS;
    if (client?.challenge !== this.#challenge.toString("base64url") || !isOurs || !isVerified) return false;
    const key = createPublicKey({ key: Buffer.from(this.#passkey.public_key, "base64url"), format: "der", type: "spki" });
    const signed = Buffer.concat([authenticator, sha256(clientData)]);
    return verify("sha256", signed, key, Buffer.from(response.signature, "base64url"));
  }

  #options(): BinaryNode {
    const options = {
      challenge: this.#challenge.toString("base64url"),
      timeout: 600_000,
      rpId: RELYING_PARTY,
      allowCredentials: [],
      userVerification: "required",
      extensions: { uvm: true },
    };
    return node("passkey_request_options", {}, Buffer.from(JSON.stringify(options)));
  }

  #notify(type: string, content?: BinaryNode[]): void {
    this.#send(node("notification", { from: SERVER_JID, type, id: freshId(), t: nowSeconds() }, content));
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function parsed(json: Buffer | undefined): unknown {
  try {
    return JSON.parse(json?.toString("utf8") ?? "");
  } catch {
    return undefined;
  }
}
