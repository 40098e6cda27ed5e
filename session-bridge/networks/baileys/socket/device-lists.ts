// Long-lived device lists. Baileys keeps them for only five minutes, and each query costs contacts a one-time pre-key.
import {
  extractDeviceJids,
  jidNormalizedUser,
  USyncQuery,
  USyncUser,
  WAJIDDomains,
  type PossiblyExtendedCacheStore,
  type WASocket,
} from "baileys";
import { boundedCache } from "../session/per-session.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const MAX_PERSONS = 5_000;
const LIFETIME_MS = DAY_MS;

type Device = { user: string; device?: number | undefined; server: string; domainType?: number };

const HOSTED_SERVERS = new Set(["hosted", "hosted.lid"]);

export class DeviceLists implements PossiblyExtendedCacheStore {
  readonly #phoneOf: (lid: string) => string | undefined;
  /** Device lists by phone number, or by LID while the number is unknown. */
  readonly #lists = boundedCache<string, readonly Device[]>(MAX_PERSONS, LIFETIME_MS);

  constructor(phoneOf: (lid: string) => string | undefined) {
    this.#phoneOf = phoneOf;
  }

  readonly get: PossiblyExtendedCacheStore["get"] = (user) => this.find(user) as never;
  readonly set: PossiblyExtendedCacheStore["set"] = (user, devices) => this.put(user, devices as readonly Device[]);

  find(user: string): readonly Device[] | undefined {
    const phone = this.#phoneOf(user);
    return phone === undefined ? this.#lists.get(user) : this.#lists.get(phone)?.map((device) => asLid(device, user));
  }

  put(user: string, devices: readonly Device[]): void {
    const phone = this.#phoneOf(user);
    const list = phone === undefined ? devices : devices.map((device) => asPhone(device, phone));
    this.#lists.set(phone ?? user, list);
  }

  del(user: string): void {
    this.#lists.delete(this.#phoneOf(user) ?? user);
  }

  flushAll(): void {
    this.#lists.clear();
  }
}

function asLid({ device, server }: Device, user: string): Device {
  return HOSTED_SERVERS.has(server)
    ? { user, device, server: "hosted.lid", domainType: WAJIDDomains.HOSTED_LID }
    : { user, device, server: "lid", domainType: WAJIDDomains.LID };
}

function asPhone({ device, server }: Device, user: string): Device {
  return HOSTED_SERVERS.has(server)
    ? { user, device, server: "hosted", domainType: WAJIDDomains.HOSTED }
    : { user, device, server: "s.whatsapp.net", domainType: WAJIDDomains.WHATSAPP };
}

/** Our own devices have had sessions since pairing. Without their list, Baileys would query them again and waste pre-keys. */
export async function loadOwnDevices(sock: WASocket, lists: DeviceLists): Promise<void> {
  const { me } = sock.authState.creds;
  if (me === undefined) return;
  const own = jidNormalizedUser(me.id);
  const [user] = own.split("@");
  if (user === undefined || lists.find(user) !== undefined) return;
  const query = new USyncQuery().withContext("message").withDeviceProtocol().withUser(new USyncUser().withId(own));
  const reply = await sock.executeUSyncQuery(query).catch(() => undefined);
  if (reply === undefined) return;
  const devices = extractDeviceJids(reply.list, me.id, me.lid ?? "", false);
  if (devices.length > 0) lists.put(user, devices);
}

/** Handled here, because Baileys ignores the notification that our own devices changed. */
export function forgetOwnDevicesOnNotification(sock: WASocket, lists: DeviceLists): void {
  const forget = (): void => {
    const [user] = jidNormalizedUser(sock.authState.creds.me?.id).split("@");
    if (user !== undefined) lists.del(user);
  };
  sock.ws.on("CB:notification,type:account_sync,devices", forget);
}
