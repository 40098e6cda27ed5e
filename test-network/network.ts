// The local network: what it holds, and what phones, sockets and tests ask of it. It relays ciphertext; nothing here can
// read a message.
import type { BinaryNode } from "baileys";
import { appendAppState } from "./app-state.ts";
import type { DeviceLink } from "./delivery/device-link.ts";
import { addDevice, detachDevice, removeDevice } from "./devices.ts";
import type { NewDevice } from "./directory.ts";
import { answer } from "./iq/answer.ts";
import type { Account, Community, Device, KeyBundle } from "./model.ts";
import { type NetworkOptions, NetworkState } from "./network-state.ts";
import { takeBundle } from "./prekeys.ts";
import { route } from "./receive.ts";
import { loadState } from "./store/load.ts";

export class TestNetwork extends NetworkState {
  constructor(options: NetworkOptions = {}) {
    super(options, (device) => removeDevice(this, device));
    loadState(this);
  }

  /** Resolves when everything asked for so far would survive a `kill -9`. */
  durable(): Promise<void> {
    return new Promise((resolve) => this.journal.whenDurable(resolve));
  }

  close(): void {
    this.journal.close();
  }

  /** Registers a device, or a phone that starts anew. */
  addDevice(account: Account, id: number, about: NewDevice = {}): Device {
    return addDevice(this, account, id, about);
  }

  /** Unlinks a device. */
  removeDevice(device: Device): void {
    removeDevice(this, device);
  }

  /** Connects a device; what waits for it follows at once when the link is active. */
  attach(device: Device, link: DeviceLink): void {
    this.delivery.attach(device, link);
  }

  /** The connection of a device is gone. Nothing happens when `link` is no longer its current one. */
  detach(device: Device, link?: DeviceLink): void {
    detachDevice(this, device, link);
  }

  /** Anything a device writes except an iq, as if it came over its socket. */
  receive(from: Device, stanza: BinaryNode): void {
    route(this, from, stanza);
  }

  /** An iq of a device and its answer (`type` is `result` or `error`). */
  request(from: Device, iq: BinaryNode): BinaryNode {
    return answer(this, from, iq);
  }

  /** The keys to start a session with a device; takes one of its one-time keys. `requester` is who is counted for it. */
  bundle(jid: string, requester?: Device): KeyBundle | undefined {
    return takeBundle(this, jid, requester);
  }

  /** Ends the lines of the number's linked devices that owe an ack; how many there were. */
  recycle(pn: string): number {
    const devices = [...(this.directory.account(pn)?.devices.values() ?? [])];
    return devices.filter((device) => this.delivery.recycle(device)).length;
  }

  /** From now on, or no longer, linked devices reach the number by its LID alone. */
  reachByLidOnly(pn: string, on: boolean): void {
    this.#name(pn, { lidOnly: on });
  }

  /** Clients are told no LID of the number; no longer: it moves to its LID. */
  nameByPhoneOnly(pn: string, on: boolean): void {
    this.#name(pn, on ? { phoneOnly: true, lidOnly: false } : { phoneOnly: false, moved: true });
  }

  /** Clients are told the LID of the account alone, or the number too. */
  hideNumber(pn: string, on: boolean): void {
    this.#name(pn, { hidesNumber: on });
  }

  /** Linked devices of the number write to nobody without a privacy token, or need none. */
  demandToken(pn: string, on: boolean): void {
    this.#name(pn, { needsToken: on });
  }

  #name(pn: string, naming: Partial<Pick<Account, "lidOnly" | "phoneOnly" | "hidesNumber" | "moved" | "needsToken">>): void {
    const account = this.directory.account(pn);
    if (!account) return;
    this.store.saveAccount(Object.assign(account, naming));
  }

  /** The group belongs to a community from now on, or to none. */
  setCommunity(groupId: string, community: Community | null): void {
    const group = this.groups.get(groupId);
    if (group) this.store.saveGroup(Object.assign(group, { community: community ?? undefined }));
  }

  /** The patches of an app-state collection, oldest first; the version is the length. */
  appStateLog(account: Account, collection: string): readonly Uint8Array[] {
    return account.collections.get(collection) ?? [];
  }

  /** Adds a patch if it follows on `version`; false when somebody else was first. */
  appendAppState(from: Device, collection: string, version: number, patch: Uint8Array): boolean {
    return appendAppState(this, from, collection, version, patch);
  }
}
