// The local network, as seen by phones, sockets and tests. It relays ciphertext and cannot read messages.
import type { BinaryNode } from "baileys";
import { appendAppState } from "./app-state.ts";
import type { DeviceLink } from "./delivery/device-queue.ts";
import { addDevice, detachDevice, removeDevice, takeBundle } from "./devices.ts";
import type { NewDevice } from "./directory.ts";
import { answerQuery } from "./iq/dispatch.ts";
import type { Account, Community, Device, KeyBundle } from "./model.ts";
import { type NetworkOptions, NetworkState } from "./network-state.ts";
import { route } from "./receive.ts";
import { loadState } from "./store/load.ts";

export class TestNetwork extends NetworkState {
  constructor(options: NetworkOptions = {}) {
    super(options, (device) => removeDevice(this, device));
    loadState(this);
  }

  durable(): Promise<void> {
    return new Promise((resolve) => this.journal.whenDurable(resolve));
  }

  close(): void {
    this.journal.close();
  }

  addDevice(account: Account, id: number, about: NewDevice = {}): Device {
    return addDevice(this, account, id, about);
  }

  removeDevice(device: Device): void {
    removeDevice(this, device);
  }

  attach(device: Device, link: DeviceLink): void {
    this.delivery.attach(device, link);
  }

  /** Does nothing if `link` is no longer the device's current one. */
  detach(device: Device, link?: DeviceLink): void {
    detachDevice(this, device, link);
  }

  receive(from: Device, stanza: BinaryNode): void {
    route(this, from, stanza);
  }

  request(from: Device, iq: BinaryNode): BinaryNode {
    return answerQuery(this, from, iq);
  }

  /** Keys that start a session with a device. Consumes a one-time key. The query is counted for `requester`. */
  bundle(jid: string, requester?: Device): KeyBundle | undefined {
    return takeBundle(this, jid, requester);
  }

  /** Closes the sockets of the number's linked devices with an overdue ack. Returns how many. */
  recycle(pn: string): number {
    const devices = [...(this.directory.account(pn)?.devices.values() ?? [])];
    return devices.filter((device) => this.delivery.recycle(device)).length;
  }

  reachByLidOnly(pn: string, on: boolean): void {
    this.#name(pn, { lidOnly: on });
  }

  /** Hides the number's LID from clients or, if `on` is false, moves the number to its LID. */
  nameByPhoneOnly(pn: string, on: boolean): void {
    this.#name(pn, on ? { phoneOnly: true, lidOnly: false } : { phoneOnly: false, moved: true });
  }

  hideNumber(pn: string, on: boolean): void {
    this.#name(pn, { hidesNumber: on });
  }

  demandToken(pn: string, on: boolean): void {
    this.#name(pn, { needsToken: on });
  }

  #name(pn: string, naming: Partial<Pick<Account, "lidOnly" | "phoneOnly" | "hidesNumber" | "moved" | "needsToken">>): void {
    const account = this.directory.account(pn);
    if (!account) return;
    this.store.saveAccount(Object.assign(account, naming));
  }

  setCommunity(groupId: string, community: Community | null): void {
    const group = this.groups.get(groupId);
    if (group) this.store.saveGroup(Object.assign(group, { community: community ?? undefined }));
  }

  appStateLog(account: Account, collection: string): readonly Uint8Array[] {
    return account.collections.get(collection) ?? [];
  }

  appendAppState(from: Device, collection: string, version: number, patch: Uint8Array): boolean {
    return appendAppState(this, from, collection, version, patch);
  }
}
