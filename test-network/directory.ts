import { createHash, randomBytes } from "node:crypto";
import { jidEncode } from "baileys";
import { DeviceQueue } from "./delivery/device-queue.ts";
import type { Account, Device, PublishedKeys } from "./model.ts";
import { nowSeconds, SERVER } from "./node.ts";
import type { Store } from "./store/store.ts";

export type NewAccount = {
  name?: string;
  lid?: string;
  business?: boolean;
};
export type NewDevice = {
  noiseKey?: Uint8Array;
  platform?: string;
  keys?: PublishedKeys;
};

// JIDs encode the device in one byte. 99 is reserved for hosted businesses.
const LAST_DEVICE = 254;
const RESERVED_DEVICE = 99;

const newSalt = (): string => randomBytes(32).toString("base64");

const DEFAULT_PRIVACY = {
  readreceipts: "all",
  last: "all",
  online: "all",
  profile: "all",
  status: "all",
  groupadd: "all",
  calladd: "all",
  messages: "all",
};

export class Directory {
  readonly accounts = new Map<string, Account>();
  readonly #byLid = new Map<string, Account>();
  readonly #store: Store;
  readonly #defaults: Pick<Account, "lidOnly" | "needsToken">;
  readonly #publishing = new WeakMap<Device, { published: Promise<void>; resolve: () => void }>();

  constructor(store: Store, defaults: Pick<Account, "lidOnly" | "needsToken">) {
    this.#store = store;
    this.#defaults = defaults;
  }

  account(pn: string): Account | undefined {
    return this.accounts.get(pn);
  }

  createAccount(pn: string, { name = pn, lid = lidFor(pn), business = false }: NewAccount = {}): Account {
    const known = this.accounts.get(pn);
    if (known) return known;
    const account = this.restoreAccount(pn, lid, business);
    account.name = name;
    Object.assign(account, this.#defaults);
    this.#store.saveAccount(account);
    return account;
  }

  renewSalt(account: Account): void {
    account.nctSalt = newSalt();
    this.#store.saveAccount(account);
  }

  /** Creates an account in memory only, without storing it. */
  restoreAccount(pn: string, lid: string, business: boolean): Account {
    const account: Account = {
      pn,
      lid,
      business,
      name: pn,
      pnJid: jidEncode(pn, SERVER),
      lidJid: jidEncode(lid, "lid"),
      devices: new Map(),
      subscribers: new Map(),
      acquaintances: new Set(),
      chats: new Set(),
      collections: new Map(),
      nextDevice: 1,
      presence: "unavailable",
      lastSeen: undefined,
      blocklist: new Set(),
      picture: undefined,
      about: { text: "", at: nowSeconds() },
      privacy: { ...DEFAULT_PRIVACY },
      disappearing: { seconds: "0", at: "0" },
      businessProfile: { websites: [] },
      restrictedUntil: undefined,
      newChatQuota: undefined,
      lidOnly: false,
      phoneOnly: false,
      hidesNumber: false,
      moved: false,
      needsToken: false,
      nctSalt: newSalt(),
    };
    this.accounts.set(pn, account);
    this.#byLid.set(lid, account);
    return account;
  }

  find(jid: string | undefined): Account | undefined {
    const address = jid === undefined ? undefined : addressOf(jid);
    if (!address) return undefined;
    return address.server === "lid" ? this.#byLid.get(address.user) : this.#person(address);
  }

  device(jid: string | undefined): Device | undefined {
    const address = jid === undefined ? undefined : addressOf(jid);
    if (!address) return undefined;
    const account = address.server === "lid" ? this.#byLid.get(address.user) : this.#person(address);
    return account?.devices.get(address.device);
  }

  byLid(lid: string): Account | undefined {
    return this.#byLid.get(lid);
  }

  nextDeviceId(account: Account): number {
    let id = account.nextDevice;
    while (id === RESERVED_DEVICE || id > LAST_DEVICE || account.devices.has(id)) id = id > LAST_DEVICE ? 1 : id + 1;
    account.nextDevice = id + 1;
    this.#store.saveAccount(account);
    return id;
  }

  addDevice(account: Account, id: number, about: NewDevice): Device {
    const device = account.devices.get(id) ?? this.restoreDevice(account, id, "");
    device.noiseKey = about.noiseKey ?? device.noiseKey;
    device.platform = about.platform ?? device.platform;
    if (about.keys) this.publish(device, about.keys);
    this.#store.saveDevice(device);
    return device;
  }

  restoreDevice(account: Account, id: number, platform: string): Device {
    const device: Device = {
      account,
      id,
      platform,
      pnJid: jidEncode(account.pn, SERVER, id),
      lidJid: jidEncode(account.lid, "lid", id),
      noiseKey: undefined,
      keys: undefined,
      preKeys: new Map(),
      queue: new DeviceQueue(),
      online: undefined,
      presence: "unavailable",
    };
    account.devices.set(id, device);
    return device;
  }

  removeDevice(device: Device): void {
    device.account.devices.delete(device.id);
    this.forgetSubscriptions(device);
    this.#store.removeDevice(device);
  }

  publish(device: Device, keys: PublishedKeys): void {
    device.keys = keys;
    this.#store.saveDevice(device);
    this.#publishing.get(device)?.resolve();
    this.#publishing.delete(device);
  }

  /** Resolves once the device has published keys, so that messages can be encrypted for it. */
  keysPublished(device: Device): Promise<void> {
    if (device.keys) return Promise.resolve();
    let wait = this.#publishing.get(device);
    if (!wait) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#publishing.set(device, (wait = { published: promise, resolve }));
    }
    return wait.published;
  }

  /** Subscribes two accounts to each other's device and picture changes. */
  acquaint(one: Account, other: Account): void {
    if (one === other || one.acquaintances.has(other.pn)) return;
    one.acquaintances.add(other.pn);
    other.acquaintances.add(one.pn);
    this.#store.saveAcquaintance(one.pn, other.pn);
    this.#store.saveAcquaintance(other.pn, one.pn);
  }

  startChat(one: Account, other: Account): void {
    one.chats.add(other.pn);
    other.chats.add(one.pn);
    this.#store.saveChat(one.pn, other.pn);
    this.#store.saveChat(other.pn, one.pn);
  }

  forgetSubscriptions(device: Device): void {
    for (const account of this.accounts.values()) account.subscribers.delete(device);
  }

  #person({ user, server }: { user: string; server: string }): Account | undefined {
    return server === SERVER || server === "c.us" ? this.accounts.get(user) : undefined;
  }
}

function addressOf(jid: string): { user: string; device: number; server: string } | undefined {
  const at = jid.indexOf("@");
  if (at < 0) return undefined;
  const colon = jid.indexOf(":");
  const server = jid.slice(at + 1);
  if (colon < 0 || colon > at) return { user: jid.slice(0, at), device: 0, server };
  return { user: jid.slice(0, colon), device: Number(jid.slice(colon + 1, at)), server };
}

// Derived from the number, so that a network with empty state assigns the same LIDs that clients already know.
export function lidFor(pn: string): string {
  return `1${createHash("sha256").update(pn).digest().readUIntBE(0, 6).toString().padStart(14, "0")}`;
}
