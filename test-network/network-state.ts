// The server's state. Functions declare the parts they use, as in `Network<"directory" | "delivery">`.
import { Changes } from "./changes.ts";
import { Delivery } from "./delivery/delivery.ts";
import { Directory } from "./directory.ts";
import { Faults } from "./faults.ts";
import { Blobs } from "./media/blobs.ts";
import type { Addressing, Device, Group, Newsletter } from "./model.ts";
import { PairingDesk } from "./pairing/pairing-desk.ts";
import { Stats } from "./stats.ts";
import { Access } from "./strict/access.ts";
import { OldForms, PrivacyTokens } from "./strict/stanzas.ts";
import { Journal } from "./store/journal.ts";
import { Store } from "./store/store.ts";

export type NetworkOptions = {
  stateDir?: string;
  addressing?: Addressing;
  groupAddressing?: Addressing;
  /** Strict like the real network (`README.md`, "Strict and lenient"). The default is false. */
  strict?: boolean;
  /** True if new accounts are reachable only by LID. The default is `strict`. */
  lidOnly?: boolean;
  /** True if linked devices of new accounts need a privacy token. The default is `strict`. */
  needsToken?: boolean;
  /** How long a socket on a strict network may leave a stanza unacked. The default is 50 minutes. */
  recycleMs?: number;
};

const RECYCLE_MS = 50 * 60_000;

export class NetworkState {
  readonly addressing: Addressing;
  readonly groupAddressing: Addressing;
  readonly strict: boolean;
  readonly changes = new Changes();
  readonly journal: Journal;
  readonly store: Store;
  readonly directory: Directory;
  readonly delivery: Delivery;
  readonly faults: Faults;
  readonly stats = new Stats();
  readonly access = new Access();
  readonly oldForms: OldForms;
  readonly tokens: PrivacyTokens;
  readonly blobs: Blobs;
  readonly pairing: PairingDesk;
  readonly groups = new Map<string, Group>();
  readonly newsletters = new Map<string, Newsletter>();

  constructor(options: NetworkOptions, unlink: (device: Device) => void) {
    const { stateDir, addressing = "pn", groupAddressing = "lid", strict = false, recycleMs = RECYCLE_MS } = options;
    const { lidOnly = strict, needsToken = strict } = options;
    this.addressing = addressing;
    this.groupAddressing = groupAddressing;
    this.strict = strict;
    this.oldForms = new OldForms(strict, this.stats);
    this.journal = new Journal(stateDir);
    this.store = new Store(this.journal, this.changes);
    this.pairing = new PairingDesk(this.changes, strict);
    this.blobs = new Blobs(stateDir, strict);
    this.directory = new Directory(this.store, { lidOnly, needsToken });
    this.delivery = new Delivery(this, strict ? { recycleMs } : null, {
      holds: (device) => this.faults.holds(device),
      omitsEnd: (device) => this.faults.omitsEnd(device),
    });
    this.faults = new Faults(this, unlink);
    this.tokens = new PrivacyTokens(this);
  }
}

export type Network<Part extends keyof NetworkState> = Pick<NetworkState, Part>;
