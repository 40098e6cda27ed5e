// What a phone asks of the server. The phone is a client like any other: stanzas up, stanzas down, and nothing that
// would let the server read a message.
import type { BinaryNode } from "baileys";
import type { Account, Group, KeyBundle, Newsletter } from "../model.ts";
import type { Directory } from "./addresses.ts";
import type { CeremonyLine, Passkey } from "./passkey.ts";
import type { LinkedDeviceView } from "./views.ts";

interface Person {
  readonly pn: string;
  readonly lid: string;
  readonly name: string;
}

/** A companion that waits to be linked, found by the reference in its QR code. */
export interface WaitingCompanion {
  readonly noiseKey: Uint8Array;
  /** What the device calls itself. */
  readonly platform: string;
  askPasskey(passkey: Passkey): CeremonyLine;
  /** Hands over the signed identity; resolves to the companion's countersignature, or null when it went away. */
  link(offer: { deviceIdentity: Uint8Array; device: number }): Promise<Uint8Array | null>;
}

/** A companion that asked for pairing by code. */
interface CodeRequest {
  readonly wrappedEphemeral: Uint8Array;
  /** Sends the phone's half; resolves to the companion's last message, or null when it went away. */
  answer(half: { wrappedEphemeral: Uint8Array; identity: Uint8Array }): Promise<{ bundle: Uint8Array; identity: Uint8Array } | null>;
  readonly companion: WaitingCompanion;
}

export interface Uplink {
  readonly directory: Directory;
  people(): Person[];
  /** What the server shows of anybody: name, about text, picture. */
  account(pn: string): Account | null;
  /** Device numbers of an account, the phone itself being 0; empty for an unknown one. */
  devicesOf(pn: string): number[];
  /** Takes one prekey of the device out of the server's stock. */
  bundleOf(pn: string, device: number): KeyBundle | null;
  group(groupId: string): Group | null;
  groups(): Group[];
  channels(): Newsletter[];
  /** True when one-to-one stanzas carry LIDs instead of phone numbers. */
  addressesByLid(): boolean;
  /** Whether edits are encrypted under the secret of their message, as newer clients do. */
  sealsEdits(): boolean;
  /** Whether phones give privacy tokens to those that they write to. */
  givesTokens(): boolean;
  /** The account's privacy token goes to all devices of that number. */
  giveToken(pn: string): void;
  /** Any stanza but an iq, as if written to a socket. */
  send(stanza: BinaryNode): void;
  /** Switched on or off: while it is off, the server keeps what is meant for the phone. */
  setReachable(reachable: boolean): void;
  /** Ids of stanzas, unique across restarts. */
  nextId(): string;
  /** Resolves when everything the server was told so far would survive a crash. */
  durable(): Promise<void>;
  /** An iq and its answer (`type` is `result` or `error`). */
  request(iq: BinaryNode): BinaryNode;
  storeBlob(bytes: Buffer): { url: string; directPath: string };
  readBlob(directPath: string): Buffer | null;
  /** `status`: what a request for it is answered with from now on. */
  removeBlob(directPath: string, status?: number): void;
  waitingCompanion(ref: string): WaitingCompanion | null;
  codeRequest(): CodeRequest | null;
  nextDeviceId(): number;
  /** Registers the linked device so that others can reach it. */
  addCompanion(device: { id: number; noiseKey: Uint8Array; platform: string }): void;
  companions(): LinkedDeviceView[];
  /** Resolves when the linked device has published its keys. */
  companionReady(device: number): Promise<void>;
  /** All of them, or one. */
  removeCompanions(device?: number): number;
}
