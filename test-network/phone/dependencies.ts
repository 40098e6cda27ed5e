import type { SignalRepositoryWithLIDStore } from "baileys";
import type { Identity } from "./identity.ts";
import type { Documents } from "./store/documents.ts";
import type { Messages } from "./store/messages.ts";
import type { Receipts } from "./store/receipts.ts";
import type { SignalKeys } from "./store/signal-keys.ts";
import type { Uplink } from "./uplink.ts";
import type { PhoneCounters } from "./views.ts";

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
