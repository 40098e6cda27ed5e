import { jidEncode, proto } from "baileys";
import type { Account, Device } from "../model.ts";
import type { TestNetwork } from "../network.ts";
import { nowSeconds } from "../node.ts";
import { freshId } from "../notifications.ts";
import type { WaitingCompanion as ServerSideCompanion } from "../pairing/companion.ts";
import type { Uplink, WaitingCompanion } from "./uplink.ts";

/** The server as seen by one phone. `connect` attaches the phone after it was switched off. */
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
