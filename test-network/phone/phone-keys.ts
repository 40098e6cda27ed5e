// A phone's identity: account keys, and the app-state key it shares with linked devices.
import { randomBytes } from "node:crypto";
import { BufferJSON, Curve, initAuthCreds, jidEncode, proto, WA_ADV_ACCOUNT_SIG_PREFIX, type AuthenticationCreds } from "baileys";
import type { PhoneOptions } from "./views.ts";

export type AppStateKey = {
  id: string;
  data: proto.Message.IAppStateSyncKeyData;
};

export type Identity = {
  creds: AuthenticationCreds & { me: { id: string; lid: string; name: string } };
  /** Base64 id and key of the app-state collections. */
  appStateKeyId: string;
  appStateKey: proto.Message.IAppStateSyncKeyData;
  /** Additional keys. The collection with the withheld key uses the newest of them. */
  laterKeys: AppStateKey[];
  withheldFor: string | null;
  options: PhoneOptions;
};

export function createIdentity(person: { pn: string; lid: string; name: string }): Identity {
  const me = { id: jidEncode(person.pn, "s.whatsapp.net"), lid: jidEncode(person.lid, "lid"), name: person.name };
  const creds = { ...initAuthCreds(), me };
  creds.account = signDevice(creds, creds.signedIdentityKey.public, 0);
  return {
    creds,
    appStateKeyId: randomBytes(6).toString("base64"),
    appStateKey: { keyData: randomBytes(32), fingerprint: { rawId: 1, currentIndex: 0, deviceIndexes: [0] }, timestamp: Date.now() },
    laterKeys: [],
    withheldFor: null,
    options: { receipts: "delivered", online: true, reply: null },
  };
}

/** Signs a device identity with the account key. Only the phone itself (index 0) can also sign for the device. */
export function signDevice(creds: AuthenticationCreds, identityKey: Uint8Array, keyIndex: number): proto.IADVSignedDeviceIdentity {
  const details = Buffer.from(proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: Math.floor(Date.now() / 1000), keyIndex }).finish());
  const account = creds.signedIdentityKey;
  const accountSignature = Curve.sign(account.private, Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, identityKey]));
  return {
    details,
    accountSignatureKey: account.public,
    accountSignature,
    ...(keyIndex === 0 && { deviceSignature: accountSignature }),
  };
}

export function freezeIdentity(identity: Identity): string {
  return JSON.stringify(identity, BufferJSON.replacer);
}

/** Parses the output of `freezeIdentity` from the phone's own store. */
export function thawIdentity(text: string): Identity {
  return JSON.parse(text, BufferJSON.reviver) as Identity;
}
