// App-state keys. The phone creates them and shares them with its linked devices, except for a withheld one.
import { randomBytes } from "node:crypto";
import { proto } from "baileys";
import type { PhoneDependencies } from "./dependencies.ts";
import { sendPeerMessage } from "./history.ts";
import type { AppStateKey } from "./identity.ts";

const { Type } = proto.Message.ProtocolMessage;

export function keyFor(phone: PhoneDependencies, collection: string): AppStateKey {
  const { laterKeys, withheldFor, appStateKeyId, appStateKey } = phone.identity;
  const newest = laterKeys.at(-1);
  return newest !== undefined && withheldFor === collection ? newest : { id: appStateKeyId, data: appStateKey };
}

export function keyById(phone: PhoneDependencies, id: string): proto.Message.IAppStateSyncKeyData {
  const { laterKeys, appStateKey } = phone.identity;
  return laterKeys.find((key) => key.id === id)?.data ?? appStateKey;
}

export async function shareKeys(phone: PhoneDependencies, device: number): Promise<void> {
  const { laterKeys, withheldFor, appStateKeyId, appStateKey } = phone.identity;
  const shared = [{ id: appStateKeyId, data: appStateKey }, ...(withheldFor ? laterKeys.slice(0, -1) : laterKeys)];
  await sendPeerMessage(phone, device, {
    protocolMessage: {
      type: Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: { keys: shared.map(({ id, data }) => ({ keyId: { keyId: Buffer.from(id, "base64") }, keyData: data })) },
    },
  });
}

/** Null shares the withheld keys with all devices. */
export async function withholdKey(phone: PhoneDependencies, collection: string | null): Promise<void> {
  const { identity } = phone;
  if (collection !== null) identity.laterKeys = [...identity.laterKeys, freshKey(phone)];
  identity.withheldFor = collection;
  phone.commit(() => phone.saveIdentity());
  if (collection === null) for (const { device } of phone.link.companions()) await shareKeys(phone, device);
}

function freshKey({ identity }: PhoneDependencies): AppStateKey {
  return { id: randomBytes(6).toString("base64"), data: { ...identity.appStateKey, keyData: randomBytes(32), timestamp: Date.now() } };
}
