import type { BinaryNode, proto, SignalRepositoryWithLIDStore } from "baileys";
import type { Identity } from "./identity.ts";
import type { Envelope, Filed } from "./messages/envelope.ts";
import type { Documents } from "./store/documents.ts";
import type { Messages } from "./store/messages.ts";
import type { ReceiptRecord, Receipts } from "./store/receipts.ts";
import type { SignalKeys } from "./store/signal-keys.ts";
import type { Uplink } from "./uplink.ts";
import type { CallDocument, PhoneCounters } from "./views.ts";

/** A message as it was filed, in or out: a new one, or the change of an earlier one. */
export interface ObservedMessage {
  envelope: Envelope;
  message: proto.IMessage;
  filed: Filed;
}

/**
 * Is told what happens to a phone, inside the transaction that stores it: what the observer writes to the same database survives a crash
 * together with what it was told of.
 */
export interface PhoneObserver {
  onMessage(phone: PhoneDependencies, observed: ObservedMessage): void;
  /** Somebody has got, read or played a message of this phone. */
  onReceipt(phone: PhoneDependencies, receipt: ReceiptRecord): void;
  /** A call as it is from now on. */
  onCall(phone: PhoneDependencies, call: CallDocument): void;
  /** A notification about a group that the phone is or was in. */
  onGroup(phone: PhoneDependencies, notification: BinaryNode): void;
}

export const NOBODY: PhoneObserver = { onMessage: () => {}, onReceipt: () => {}, onCall: () => {}, onGroup: () => {} };

/** What the functions of one phone (sending, receiving, labels, …) work on. */
export interface PhoneDependencies {
  readonly pn: string;
  /** Own jids without device part. */
  readonly jid: string;
  readonly lid: string;
  readonly identity: Identity;
  readonly link: Uplink;
  readonly keys: SignalKeys;
  readonly signal: SignalRepositoryWithLIDStore;
  readonly messages: Messages;
  readonly documents: Documents;
  readonly receipts: Receipts;
  readonly counters: PhoneCounters;
  readonly observer: PhoneObserver;
  /** Writes `work` and every key step that waits in one transaction. Nothing may leave the phone before. */
  commit<T>(work: () => T): T;
  saveIdentity(): void;
}

export function noCounts(): PhoneCounters {
  return { sent: 0, received: 0, duplicates: 0, undecryptable: 0, retriesAsked: 0, retriesAnswered: 0 };
}

/** Unix seconds. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
