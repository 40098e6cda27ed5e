// Privacy tokens for contacts, and the salt of first-contact tokens. The library's protobuf messages lack the salt's fields.
import { proto, type WAPatchCreate } from "baileys";
import { nowSeconds, type PhoneDependencies } from "./dependencies.ts";

/** Protobuf field numbers: `SyncActionValue.nctSaltSyncAction`, its `salt`, and `HistorySync.nctSalt`. */
const ACTION_FIELD = 80;
const ACTION_SALT_FIELD = 1;
const HISTORY_FIELD = 19;
const LENGTH_DELIMITED = 2;

class SaltAction extends proto.SyncActionValue {
  readonly salt: Uint8Array;

  constructor(salt: Uint8Array) {
    super({ timestamp: Date.now() });
    this.salt = salt;
  }
}

const encodeValue = proto.SyncActionValue.encode.bind(proto.SyncActionValue);
proto.SyncActionValue.encode = (value, writer) => {
  const encoded = encodeValue(value, writer);
  if (!(value instanceof SaltAction)) return encoded;
  return encoded.uint32(tagOf(ACTION_FIELD)).fork().uint32(tagOf(ACTION_SALT_FIELD)).bytes(value.salt).ldelim();
};

export function saltChange(phone: PhoneDependencies): WAPatchCreate | null {
  const salt = saltOf(phone);
  if (salt === null) return null;
  const operation = proto.SyncdMutation.SyncdOperation.SET;
  return { type: "regular_high", index: ["nct_salt_sync"], syncAction: new SaltAction(salt), apiVersion: 1, operation };
}

export function withSalt(phone: PhoneDependencies, history: Uint8Array): Uint8Array {
  const salt = saltOf(phone);
  if (salt === null || phone.identity.options.salt === "app_state") return history;
  return Buffer.concat([history, writeField(HISTORY_FIELD, salt)]);
}

/** Gives a person the phone's token once, so that they can reply. */
export function trustContact(phone: PhoneDependencies, pn: string): void {
  if (!phone.link.givesTokens() || pn === phone.pn || phone.documents.get("trusted", pn)) return;
  phone.commit(() => phone.documents.put("trusted", pn, { at: nowSeconds() }));
  phone.link.giveToken(pn);
}

function saltOf({ identity, link, pn }: PhoneDependencies): Buffer | null {
  const account = link.account(pn);
  return !account || identity.options.salt === "none" ? null : Buffer.from(account.nctSalt, "base64");
}

const tagOf = (field: number): number => (field << 3) | LENGTH_DELIMITED;

function writeField(field: number, bytes: Uint8Array): Buffer {
  const tag = tagOf(field);
  return Buffer.concat([Buffer.of((tag & 0x7f) | 0x80, tag >> 7, bytes.length), bytes]);
}
