// What the server holds. Functions of the server name the few of these that they use: `Network<"directory" | "delivery">`.
import { Changes } from "./changes.ts";
import { Delivery } from "./delivery/delivery.ts";
import { Directory } from "./directory.ts";
import { Faults } from "./faults.ts";
import { Blobs } from "./media/blobs.ts";
import type { Addressing, Device, Group, Newsletter } from "./model.ts";
import { PairingDesk } from "./pairing/pairing-desk.ts";
import { Stats } from "./stats.ts";
import { Journal } from "./store/journal.ts";
import { Store } from "./store/store.ts";

export interface NetworkOptions {
  /** Folder that keeps everything; in memory when absent. */
  stateDir?: string;
  /** How one-to-one stanzas name people. Default `pn`. */
  addressing?: Addressing;
  /** How new groups name people. Default `lid`. */
  groupAddressing?: Addressing;
}

export class NetworkState {
  readonly addressing: Addressing;
  readonly groupAddressing: Addressing;
  readonly changes = new Changes();
  readonly journal: Journal;
  readonly store: Store;
  readonly directory: Directory;
  readonly delivery: Delivery;
  readonly faults: Faults;
  readonly stats = new Stats();
  readonly blobs: Blobs;
  readonly pairing: PairingDesk;
  readonly groups = new Map<string, Group>();
  readonly newsletters = new Map<string, Newsletter>();

  /** `unlink` removes a device whose connection a fault closes with 401. */
  constructor({ stateDir, addressing = "pn", groupAddressing = "lid" }: NetworkOptions, unlink: (device: Device) => void) {
    this.addressing = addressing;
    this.groupAddressing = groupAddressing;
    this.journal = new Journal(stateDir);
    this.store = new Store(this.journal, this.changes);
    this.pairing = new PairingDesk(this.changes);
    this.blobs = new Blobs(stateDir);
    this.directory = new Directory(this.store);
    this.delivery = new Delivery(this.store, this.changes, (device) => this.faults.holds(device));
    this.faults = new Faults(this, unlink);
  }
}

export type Network<Part extends keyof NetworkState> = Pick<NetworkState, Part>;
