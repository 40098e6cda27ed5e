// A phone's requests to the server. It shares nothing that would let the server read a message.
import type { BinaryNode } from "baileys";
import type { Account, Group, KeyBundle, Newsletter } from "../model.ts";
import type { Directory } from "./addresses.ts";
import type { CompanionCeremony, Passkey } from "./passkey.ts";
import type { LinkedDeviceView } from "./views.ts";

interface Person {
  readonly pn: string;
  readonly lid: string;
  readonly name: string;
}

/** A companion waiting to be linked, found by its QR reference. */
export interface WaitingCompanion {
  readonly noiseKey: Uint8Array;
  readonly platform: string;
  askPasskey(passkey: Passkey): CompanionCeremony;
  link(offer: { deviceIdentity: Uint8Array; device: number }): Promise<Uint8Array | null>;
}

interface CodeRequest {
  readonly wrappedEphemeral: Uint8Array;
  answer(half: { wrappedEphemeral: Uint8Array; identity: Uint8Array }): Promise<{ bundle: Uint8Array; identity: Uint8Array } | null>;
  readonly companion: WaitingCompanion;
}

export interface Uplink {
  readonly directory: Directory;
  people(): Person[];
  account(pn: string): Account | null;
  devicesOf(pn: string): number[];
  /** Consumes one of the device's one-time keys. */
  bundleOf(pn: string, device: number): KeyBundle | null;
  group(groupId: string): Group | null;
  groups(): Group[];
  channels(): Newsletter[];
  addressesByLid(): boolean;
  /** Whether edits are encrypted under their message's secret, as newer clients do. */
  sealsEdits(): boolean;
  /** Whether the phone gives privacy tokens to people it messages. */
  givesTokens(): boolean;
  /** Sends the account's privacy token to all devices of that number. */
  giveToken(pn: string): void;
  send(stanza: BinaryNode): void;
  /** Switches the phone on or off; while off, the server queues its stanzas. */
  setReachable(reachable: boolean): void;
  nextId(): string;
  /** Resolves once everything sent so far would survive a crash. */
  durable(): Promise<void>;
  request(iq: BinaryNode): BinaryNode;
  storeBlob(bytes: Buffer): { url: string; directPath: string };
  readBlob(directPath: string): Buffer | null;
  removeBlob(directPath: string, status?: number): void;
  waitingCompanion(ref: string): WaitingCompanion | null;
  codeRequest(): CodeRequest | null;
  nextDeviceId(): number;
  /** Registers the linked device, so that others can reach it. */
  addCompanion(device: { id: number; noiseKey: Uint8Array; platform: string }): void;
  companions(): LinkedDeviceView[];
  /** Resolves once the linked device has published its keys. */
  companionReady(device: number): Promise<void>;
  removeCompanions(device?: number): number;
}
