import type { BinaryNode, proto, SignalRepositoryWithLIDStore } from "baileys";
import type { Identity } from "./phone-keys.ts";
import type { Envelope, Filed } from "./messages/envelope.ts";
import type { Documents } from "./store/documents.ts";
import type { Messages, ReceiptRecord, Receipts } from "./store/messages.ts";
import type { SignalKeys } from "./store/signal-keys.ts";
import type { Uplink } from "./uplink.ts";
import type { CallDocument, PhoneCounters } from "./views.ts";

/** A stored message, which is new or changes an earlier one. */
export type ObservedMessage = {
  envelope: Envelope;
  message: proto.IMessage;
  filed: Filed;
};

/** Called in the event's transaction, so that the observer's writes are as durable as the event. */
export type PhoneObserver = {
  onMessage(phone: PhoneDependencies, observed: ObservedMessage): void;
  onReceipt(phone: PhoneDependencies, receipt: ReceiptRecord): void;
  onCall(phone: PhoneDependencies, call: CallDocument): void;
  onGroup(phone: PhoneDependencies, notification: BinaryNode): void;
};

export const NOBODY: PhoneObserver = { onMessage: () => {}, onReceipt: () => {}, onCall: () => {}, onGroup: () => {} };

export type PhoneDependencies = {
  readonly pn: string;
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
  /** Runs `work` and writes all pending key changes in one transaction. Nothing may be sent before this returns. */
  commit<T>(work: () => T): T;
  saveIdentity(): void;
};

export function noCounts(): PhoneCounters {
  return { sent: 0, received: 0, duplicates: 0, undecryptable: 0, retriesAsked: 0, retriesAnswered: 0 };
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
