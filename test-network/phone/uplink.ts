// A phone's requests to the server. They contain nothing that lets the server read a message.
import { type BinaryNode, jidEncode, proto } from "baileys";
import type { Account, Group, KeyBundle, Newsletter, Device } from "../model.ts";
import type { Directory } from "./addresses.ts";
import type { CompanionCeremony, Passkey } from "./passkey.ts";
import type { LinkedDeviceView } from "./views.ts";
import type { TestNetwork } from "../network.ts";
import { nowSeconds } from "../node.ts";
import { freshId } from "../notifications.ts";
import type { WaitingCompanion as ServerSideCompanion } from "../pairing/companion.ts";

type Person = {
  readonly pn: string;
  readonly lid: string;
  readonly name: string;
};

/** A device waiting to be linked, which a phone finds by its QR reference. */
export type WaitingCompanion = {
  readonly noiseKey: Uint8Array;
  readonly platform: string;
  askPasskey(passkey: Passkey): CompanionCeremony;
  link(offer: { deviceIdentity: Uint8Array; device: number }): Promise<Uint8Array | null>;
};

type CodeRequest = {
  readonly wrappedEphemeral: Uint8Array;
  answer(half: { wrappedEphemeral: Uint8Array; identity: Uint8Array }): Promise<{ bundle: Uint8Array; identity: Uint8Array } | null>;
  readonly companion: WaitingCompanion;
};

export type Uplink = {
  readonly directory: Directory;
  people(): Person[];
  account(pn: string): Account | null;
  devicesOf(pn: string): number[];
  bundleOf(pn: string, device: number): KeyBundle | null;
  group(groupId: string): Group | null;
  groups(): Group[];
  channels(): Newsletter[];
  addressesByLid(): boolean;
  /** True if edits are encrypted under their message's secret, as in newer clients. */
  sealsEdits(): boolean;
  /** True if the phone issues privacy tokens to people it messages. */
  givesTokens(): boolean;
  giveToken(pn: string): void;
  send(stanza: BinaryNode): void;
  /** Switches the phone on or off. While it is off, the server queues its stanzas. */
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
  /** Resolves when the linked device has published its keys. */
  companionReady(device: number): Promise<void>;
  removeCompanions(device?: number): number;
};

/** The server as one phone sees it. `connect` reattaches the phone when it is switched on again. */
export function uplinkOf(network: TestNetwork, account: Account, connect: () => void): Uplink {
  const phone = (): Device => {
    const device = account.devices.get(0);
    if (!device) throw new Error(`the network has lost the phone ${account.pn}`);
    return device;
  };
  const companions = (): Device[] => [...account.devices.values()].filter(({ id }) => id !== 0);
  return {
    directory: network.directory,
    people: () => [...network.directory.accounts.values()],
    account: (pn) => network.directory.account(pn) ?? null,
    devicesOf: (pn) => [...(network.directory.account(pn)?.devices.keys() ?? [])],
    bundleOf: (pn, device) => network.bundle(jidEncode(pn, "s.whatsapp.net", device), phone()) ?? null,
    group: (id) => network.groups.get(id) ?? null,
    groups: () => [...network.groups.values()],
    channels: () => [...network.newsletters.values()],
    addressesByLid: () => network.addressing === "lid",
    sealsEdits: () => network.strict,
    givesTokens: () => network.strict,
    giveToken: (pn) => {
      const target = network.directory.account(pn);
      if (target) network.tokens.give(account, target, nowSeconds());
    },
    nextId: freshId,
    send: (stanza) => network.receive(phone(), stanza),
    request: (iq) => network.request(phone(), iq),
    durable: () => network.durable(),
    setReachable: (reachable) => (reachable ? connect() : network.detach(phone())),
    storeBlob: (bytes) => {
      const { url, path } = network.blobs.save(bytes);
      return { url, directPath: path };
    },
    readBlob: (directPath) => network.blobs.get(directPath) ?? null,
    removeBlob: (directPath, status) => network.blobs.remove(directPath, status),
    waitingCompanion: (ref) => {
      const companion = network.pairing.waiting(ref);
      return companion ? linkable(companion, account) : null;
    },
    codeRequest: () => {
      const request = network.pairing.codeRequest(account.pn);
      if (!request) return null;
      const { wrappedEphemeral, companion } = request;
      return { wrappedEphemeral, companion: linkable(companion, account), answer: (half) => request.answer(half) };
    },
    nextDeviceId: () => network.directory.nextDeviceId(account),
    addCompanion: ({ id, noiseKey, platform }) => {
      network.addDevice(account, id, { noiseKey, platform });
    },
    companionReady: async (id) => {
      const device = account.devices.get(id);
      if (device) await network.directory.keysPublished(device);
    },
    companions: () => companions().map(({ id, platform, online }) => ({ device: id, platform, online: online !== undefined })),
    removeCompanions: (device) => {
      const removed = companions().filter(({ id }) => device === undefined || id === device);
      for (const companion of removed) network.removeDevice(companion);
      return removed.length;
    },
  };
}

function linkable(companion: ServerSideCompanion, account: Account): WaitingCompanion {
  const { deviceProps } = companion.registration;
  return {
    noiseKey: companion.noiseKey,
    platform: (deviceProps && proto.DeviceProps.decode(deviceProps).os) || "unknown",
    askPasskey: (passkey) => companion.askPasskey(passkey),
    link: ({ device, deviceIdentity }) => companion.pair({ account, device, deviceIdentity }),
  };
}
