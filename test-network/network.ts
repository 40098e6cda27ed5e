// The local network: accounts, devices, groups and channels, and the routing of what they send each other. It relays
// ciphertext; no method of this class can read a message. Each method is a door: the work is in the file named after it.
import type { BinaryNode } from "baileys";
import { appendAppState, type AppStateLog } from "./app-state.ts";
import { routeCall } from "./calls.ts";
import { Delivery } from "./delivery/delivery.ts";
import type { DeviceLink } from "./delivery/device-link.ts";
import { Directory, type NewAccount, type NewDevice } from "./directory.ts";
import { Faults } from "./faults.ts";
import { newGroup, type NewGroup } from "./groups/new-group.ts";
import { answer } from "./iq/answer.ts";
import { Blobs } from "./media/blobs.ts";
import type { Account, Addressing, Device, Group, KeyBundle, Newsletter } from "./model.ts";
import { node, nowSeconds } from "./node.ts";
import { announceDevices, tellAccount } from "./notifications.ts";
import { PairingDesk } from "./pairing/pairing-desk.ts";
import { takeBundle } from "./prekeys.ts";
import { changePresence, routeChatState } from "./presence.ts";
import { route } from "./receive.ts";
import { routeReceipt } from "./receipts.ts";
import { relay } from "./relay/relay.ts";
import { Stats } from "./stats.ts";
import { Journal } from "./store/journal.ts";
import { loadState } from "./store/load.ts";
import { Store } from "./store/store.ts";

export interface TestNetworkOptions {
  /** Folder that keeps everything; in memory when absent. */
  stateDir?: string;
  /** How one-to-one stanzas name people. Default `pn`. */
  addressing?: Addressing;
  /** How new groups name people. Default `lid`. */
  groupAddressing?: Addressing;
}

export class TestNetwork {
  readonly addressing: Addressing;
  readonly groupAddressing: Addressing;
  readonly journal: Journal;
  readonly store: Store;
  readonly directory: Directory;
  readonly delivery: Delivery;
  readonly faults: Faults;
  readonly stats = new Stats();
  readonly blobs: Blobs;
  readonly pairing = new PairingDesk();
  readonly groups = new Map<string, Group>();
  readonly newsletters = new Map<string, Newsletter>();

  constructor(options: TestNetworkOptions = {}) {
    this.addressing = options.addressing ?? "pn";
    this.groupAddressing = options.groupAddressing ?? "lid";
    this.journal = new Journal(options.stateDir);
    this.store = new Store(this.journal);
    this.blobs = new Blobs(options.stateDir);
    this.directory = new Directory(this.store);
    this.delivery = new Delivery(this.store, (device) => this.faults.holds(device));
    this.faults = new Faults(this);
    loadState(this);
  }

  /** Resolves when everything asked for so far would survive a `kill -9`. */
  durable(): Promise<void> {
    return new Promise((resolve) => this.journal.whenDurable(resolve));
  }

  close(): void {
    this.journal.close();
  }

  // ----- who is there

  get accounts(): ReadonlyMap<string, Account> {
    return this.directory.accounts;
  }

  /** Makes an account, or returns the one the number already has. */
  createAccount(pn: string, about: NewAccount = {}): Account {
    return this.directory.createAccount(pn, about);
  }

  account(pn: string): Account | undefined {
    return this.directory.accounts.get(pn);
  }

  /** The account behind a jid of either kind, with or without a device part. */
  find(jid: string | undefined): Account | undefined {
    return this.directory.find(jid);
  }

  /** The device a jid names; a jid without a device part names the phone. */
  device(jid: string | undefined): Device | undefined {
    return this.directory.device(jid);
  }

  saveAccount(account: Account): void {
    this.store.saveAccount(account);
  }

  // ----- devices

  /** The number the next linked device of the account gets. */
  nextDeviceId(account: Account): number {
    return this.directory.nextDeviceId(account);
  }

  /** Registers a device (again, for a phone that starts anew); a linked one is told to log in and everyone concerned learns of it. */
  addDevice(account: Account, id: number, about: NewDevice = {}): Device {
    const known = account.devices.has(id);
    const device = this.directory.addDevice(account, id, about);
    if (!known && id !== 0) announceDevices(this, device, "add");
    if (device.noiseKey) this.pairing.linked(device.noiseKey);
    return device;
  }

  /** Unlinks a device: its socket ends with a logout, and everyone concerned learns of it. */
  removeDevice(device: Device): void {
    const link = device.online;
    this.detach(device);
    this.directory.removeDevice(device);
    announceDevices(this, device, "remove");
    if (link) this.endLink(link, node("stream:error", { code: "401" }, [node("conflict", { type: "device_removed" })]));
  }

  /** Connects a device; what waits for it follows at once when the link is active. */
  attach(device: Device, link: DeviceLink): void {
    this.delivery.attach(device, link);
  }

  /** The line of a device is gone. Nothing happens when `link` is no longer its current one. */
  detach(device: Device, link?: DeviceLink): void {
    if (link && device.online !== link) return;
    this.delivery.detach(device);
    this.directory.forgetSubscriptions(device);
    changePresence(this, device, "unavailable");
  }

  /** Resolves when the device has published its keys, so that messages can be encrypted for it. */
  keysPublished(device: Device): Promise<void> {
    return this.directory.keysPublished(device);
  }

  // ----- stanzas

  /** Anything a device writes except an iq, as if it came over its socket. */
  receive(from: Device, stanza: BinaryNode): void {
    route(this, from, stanza);
  }

  /** An iq of a device and its answer (`type` is `result` or `error`). */
  request(from: Device, iq: BinaryNode): BinaryNode {
    return answer(this, from, iq);
  }

  /** A message: to everyone it addresses, then the ack to its sender. */
  relay(from: Device, message: BinaryNode): void {
    relay(this, from, message);
  }

  receipt(from: Device, receipt: BinaryNode): void {
    routeReceipt(this, from, receipt);
  }

  /** Takes a stanza off a device's queue, as its ack would. */
  settle(device: Device, tag: string, id: string): void {
    this.delivery.settle(device, tag, { id });
  }

  /** A stanza that must reach the device: it stays queued until it is acked. */
  enqueue(device: Device, stanza: BinaryNode): void {
    this.delivery.enqueue(device, stanza);
  }

  /** A notification to all devices of an account but one. */
  notify(account: Account, except: Device | undefined, attrs: Record<string, string | undefined>, content?: BinaryNode[]): void {
    tellAccount(this, account, except, attrs, content);
  }

  /** A stanza that is worthless later: sent now, after all writes so far are durable, or not at all. */
  emit(link: DeviceLink | undefined, stanza: BinaryNode): void {
    if (link) this.journal.whenDurable(() => link.send(stanza));
  }

  endLink(link: DeviceLink, lastWord?: BinaryNode): void {
    this.journal.whenDurable(() => link.end(lastWord));
  }

  call(from: Device, stanza: BinaryNode): void {
    routeCall(this, from, stanza);
  }

  chatState(from: Device, stanza: BinaryNode): void {
    routeChatState(this, from, stanza);
  }

  presence(device: Device, presence: "available" | "unavailable"): void {
    changePresence(this, device, presence);
  }

  // ----- what is published

  /** The keys to start a session with a device; takes one of its one-time keys. `requester` is who is counted for it. */
  bundle(jid: string, requester?: Device): KeyBundle | undefined {
    return takeBundle(this, jid, requester);
  }

  /** The patches of an app-state collection, oldest first; the version is the length. */
  appStateLog(account: Account, collection: string): AppStateLog {
    return account.collections.get(collection) ?? [];
  }

  /** Adds a patch if it follows on `version`; false when somebody else was first. */
  appendAppState(from: Device, collection: string, version: number, patch: Uint8Array): boolean {
    return appendAppState(this, from, collection, version, patch);
  }

  createGroup(by: Account, about: NewGroup): Group {
    return newGroup(this, by, about);
  }

  // ----- pairing

  /** The companion whose QR code shows this reference. */
  waitingCompanion(ref: string): ReturnType<PairingDesk["waiting"]> {
    return this.pairing.waiting(ref);
  }

  /** The newest request for pairing by code that names this number. */
  codeRequest(pn: string): ReturnType<PairingDesk["codeRequest"]> {
    return this.pairing.codeRequest(pn);
  }

  // ----- files

  /** Stores an (encrypted) file; `url` and `path` are what a message carries as `url` and `directPath`. */
  putBlob(bytes: Uint8Array, extension = "enc"): { path: string; url: string } {
    const path = this.blobs.put(bytes, extension);
    return { path, url: this.blobs.urlOf(path) };
  }

  getBlob(path: string): Buffer | undefined {
    return this.blobs.get(path);
  }

  /** Unix seconds, as stanzas carry it. */
  now(): string {
    return nowSeconds();
  }
}
