// The server side of Noise_XX_25519_AESGCM_SHA256 and its framing (docs/internals/wire-protocol.md, "Handshake and certificates").
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { Curve, NOISE_MODE, NOISE_WA_HEADER, proto, type KeyPair } from "baileys";

const NOTHING = Buffer.alloc(0);
const EDGE_ROUTING = Buffer.from("ED");
const TAG_BYTES = 16;

export type NoiseEvent =
  | { kind: "say"; bytes: Buffer }
  | { kind: "open"; clientKey: Buffer; payload: proto.ClientPayload; routed: boolean }
  | { kind: "stanza"; bytes: Buffer };

export class ServerNoise {
  readonly #staticKey: KeyPair;
  readonly #certificate: Uint8Array;
  readonly #ephemeral: KeyPair = Curve.generateKeyPair();
  #stage: "intro" | "hello" | "finish" | "open" = "intro";
  #unread: Buffer = NOTHING;
  #routed = false;
  #hash: Buffer;
  #chain: Buffer;
  #key: Buffer;
  #counter = 0;
  #readKey: Buffer = NOTHING;
  #writeKey: Buffer = NOTHING;
  #read = 0;
  #written = 0;

  constructor(staticKey: KeyPair, certificate: Uint8Array) {
    this.#staticKey = staticKey;
    this.#certificate = certificate;
    const name = Buffer.from(NOISE_MODE);
    this.#hash = name.length === 32 ? name : sha256(name);
    this.#chain = this.#hash;
    this.#key = this.#hash;
  }

  *push(chunk: Buffer): Generator<NoiseEvent> {
    this.#unread = this.#unread.length > 0 ? Buffer.concat([this.#unread, chunk]) : chunk;
    if (this.#stage === "intro" && !this.#readIntro()) return;
    for (let frame = this.#nextFrame(); frame; frame = this.#nextFrame()) {
      if (this.#stage === "open") yield { kind: "stanza", bytes: open(this.#readKey, this.#read++, frame, NOTHING) };
      else if (this.#stage === "hello") yield this.#answerHello(frame);
      else yield this.#finish(frame);
    }
  }

  seal(stanza: Uint8Array): Buffer {
    return framed(seal(this.#writeKey, this.#written++, stanza, NOTHING));
  }

  #readIntro(): boolean {
    const bytes = this.#unread;
    let start = 0;
    // A client with routing info first sends "ED" 00 01, the info's length in three bytes, and the info.
    if (bytes.subarray(0, 2).equals(EDGE_ROUTING)) {
      if (bytes.length < 7) return false;
      start = 7 + bytes.readUIntBE(4, 3);
      this.#routed = true;
    }
    if (bytes.length < start + NOISE_WA_HEADER.length) return false;
    const header = bytes.subarray(start, start + NOISE_WA_HEADER.length);
    if (!header.equals(NOISE_WA_HEADER)) throw new Error("unknown intro");
    this.#unread = bytes.subarray(start + header.length);
    this.#mixHash(header);
    this.#stage = "hello";
    return true;
  }

  #nextFrame(): Buffer | undefined {
    const bytes = this.#unread;
    if (bytes.length < 3) return undefined;
    const end = 3 + bytes.readUIntBE(0, 3);
    if (bytes.length < end) return undefined;
    this.#unread = bytes.subarray(end);
    return bytes.subarray(3, end);
  }

  #answerHello(frame: Buffer): NoiseEvent {
    const clientEphemeral = Buffer.from(proto.HandshakeMessage.decode(frame).clientHello?.ephemeral ?? NOTHING);
    this.#mixHash(clientEphemeral);
    this.#mixHash(this.#ephemeral.public);
    this.#mixKey(Curve.sharedKey(this.#ephemeral.private, clientEphemeral));
    const staticKey = this.#encrypt(this.#staticKey.public);
    this.#mixKey(Curve.sharedKey(this.#staticKey.private, clientEphemeral));
    const payload = this.#encrypt(this.#certificate);
    const serverHello = { ephemeral: this.#ephemeral.public, static: staticKey, payload };
    this.#stage = "finish";
    return { kind: "say", bytes: framed(Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish())) };
  }

  #finish(frame: Buffer): NoiseEvent {
    const { clientFinish } = proto.HandshakeMessage.decode(frame);
    const clientKey = this.#decrypt(Buffer.from(clientFinish?.static ?? NOTHING));
    this.#mixKey(Curve.sharedKey(this.#ephemeral.private, clientKey));
    const payload = proto.ClientPayload.decode(this.#decrypt(Buffer.from(clientFinish?.payload ?? NOTHING)));
    [this.#readKey, this.#writeKey] = expand(this.#chain, NOTHING);
    this.#stage = "open";
    return { kind: "open", clientKey, payload, routed: this.#routed };
  }

  #mixHash(data: Uint8Array): void {
    this.#hash = sha256(Buffer.concat([this.#hash, data]));
  }

  #mixKey(data: Uint8Array): void {
    [this.#chain, this.#key] = expand(this.#chain, data);
    this.#counter = 0;
  }

  #encrypt(plain: Uint8Array): Buffer {
    const sealed = seal(this.#key, this.#counter++, plain, this.#hash);
    this.#mixHash(sealed);
    return sealed;
  }

  #decrypt(sealed: Buffer): Buffer {
    const plain = open(this.#key, this.#counter++, sealed, this.#hash);
    this.#mixHash(sealed);
    return plain;
  }
}

function sha256(data: Uint8Array): Buffer {
  return createHash("sha256").update(data).digest();
}

function expand(salt: Uint8Array, input: Uint8Array): [Buffer, Buffer] {
  const both = Buffer.from(hkdfSync("sha256", input, salt, NOTHING, 64));
  return [both.subarray(0, 32), both.subarray(32)];
}

function nonce(counter: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(counter, 8);
  return bytes;
}

function seal(key: Buffer, counter: number, plain: Uint8Array, context: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonce(counter));
  if (context.length > 0) cipher.setAAD(context);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(key: Buffer, counter: number, sealed: Buffer, context: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, nonce(counter), { authTagLength: TAG_BYTES });
  if (context.length > 0) decipher.setAAD(context);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
}

function framed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(3);
  length.writeUIntBE(bytes.length, 0, 3);
  return Buffer.concat([length, bytes]);
}
