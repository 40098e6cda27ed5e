// A device without an account that shows a QR code or a pairing code and waits for a phone (docs/internals/wire-protocol.md, "Pairing").
import type { BinaryNode, proto } from "baileys";
import type { Account } from "../model.ts";
import { bytesOf, child, node, nowSeconds, SERVER, SERVER_JID } from "../node.ts";
import { PasskeyCeremony, type Passkey } from "./passkey-ceremony.ts";

export type CompanionSocket = {
  send(stanza: BinaryNode): void;
  end(lastStanza?: BinaryNode): void;
};

export type PairingOffer = {
  account: Account;
  device: number;
  deviceIdentity: Uint8Array;
};

// A phone that rejects the countersignature does not respond, so the device's connection times out.
const LINKING_MS = 10_000;

let sequence = 0;

export class WaitingCompanion {
  readonly noiseKey: Uint8Array;
  readonly registration: proto.ClientPayload.IDevicePairingRegistrationData;
  readonly #socket: CompanionSocket;
  #pending: { id: string; settle: (countersigned: Uint8Array | null) => void } | undefined;
  #letGo: NodeJS.Timeout | undefined;
  #gone = false;
  #ceremony: PasskeyCeremony | undefined;

  constructor(socket: CompanionSocket, noiseKey: Uint8Array, registration: proto.ClientPayload.IDevicePairingRegistrationData) {
    this.#socket = socket;
    this.noiseKey = noiseKey;
    this.registration = registration;
  }

  /** Sends the signed identity. Resolves to the device's countersigned `ADVSignedDeviceIdentity`, or null if it disconnects first. */
  pair({ account, device, deviceIdentity }: PairingOffer): Promise<Uint8Array | null> {
    if (this.#gone || this.#pending) return Promise.resolve(null);
    const id = `pair-${++sequence}`;
    const { promise, resolve } = Promise.withResolvers<Uint8Array | null>();
    this.#pending = { id, settle: resolve };
    const jids = { jid: `${account.pn}:${device}@${SERVER}`, lid: `${account.lid}:${device}@lid` };
    this.send(
      node("iq", { from: SERVER_JID, type: "set", id, t: nowSeconds() }, [
        node("pair-success", {}, [
          node("device-identity", {}, deviceIdentity),
          ...(account.business ? [node("biz", { name: account.name })] : []),
          node("platform", { name: account.business ? "smba" : "android" }),
          node("device", jids),
        ]),
      ]),
    );
    return promise;
  }

  get ceremony(): PasskeyCeremony | undefined {
    return this.#ceremony;
  }

  askPasskey(passkey: Passkey): PasskeyCeremony {
    this.#ceremony?.closed();
    this.#ceremony = new PasskeyCeremony(passkey, (stanza) => this.send(stanza));
    if (this.#gone) this.#ceremony.closed();
    return this.#ceremony;
  }

  /** Called when the phone has registered the device, which must then reconnect and log in. */
  restart(): void {
    clearTimeout(this.#letGo);
    this.#socket.end(node("stream:error", { code: "515" }));
  }

  send(stanza: BinaryNode): void {
    if (!this.#gone) this.#socket.send(stanza);
  }

  receive(stanza: BinaryNode): boolean {
    const pending = this.#pending;
    if (!pending || stanza.attrs["id"] !== pending.id) return false;
    const countersigned = bytesOf(child(child(stanza, "pair-device-sign"), "device-identity"));
    this.#pending = undefined;
    this.#letGo = setTimeout(() => this.#socket.end(), LINKING_MS);
    pending.settle(countersigned ?? null);
    return true;
  }

  closed(): void {
    this.#gone = true;
    clearTimeout(this.#letGo);
    this.#pending?.settle(null);
    this.#ceremony?.closed();
  }
}
