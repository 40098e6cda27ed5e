// Reads the salt of first-contact tokens from two fields that the library drops (docs/internals/sends.md, "Tokens for first messages").
import { proto } from "baileys";
import protobuf from "protobufjs/minimal.js";

/** Protobuf field numbers: `SyncActionValue.nctSaltSyncAction`, its `salt`, and `HistorySync.nctSalt`. */
const ACTION_FIELD = 80;
const ACTION_SALT_FIELD = 1;
const HISTORY_FIELD = 19;
const LENGTH_DELIMITED = 2;
/** The library emits an event for a locale change but for no unknown action, so the salt is passed on as a locale with this prefix. */
const MARK = "nct-salt:";

const salts = new WeakMap<object, Buffer>();
let areRead = false;

export function readSaltFields(): void {
  if (areRead) return;
  areRead = true;
  const { HistorySync, SyncActionValue } = proto;
  const decodeValue = SyncActionValue.decode.bind(SyncActionValue);
  SyncActionValue.decode = (reader, length) => {
    const bytes = bytesIn(reader, length);
    const value = decodeValue(reader, length);
    const action = fieldIn(bytes, ACTION_FIELD);
    const salt = action && fieldIn(action, ACTION_SALT_FIELD);
    if (salt?.length) value.localeSetting = { locale: MARK + salt.toString("base64") };
    return value;
  };
  const decodeHistory = HistorySync.decode.bind(HistorySync);
  HistorySync.decode = (reader, length) => {
    const bytes = bytesIn(reader, length);
    const history = decodeHistory(reader, length);
    const salt = fieldIn(bytes, HISTORY_FIELD);
    if (salt?.length) salts.set((history.pastParticipants = [...history.pastParticipants]), salt);
    return history;
  };
}

export function saltInLocale(locale: unknown): Buffer | null {
  return typeof locale === "string" && locale.startsWith(MARK) ? Buffer.from(locale.slice(MARK.length), "base64") : null;
}

export function saltInHistory({ pastParticipants }: { pastParticipants?: proto.IPastParticipants[] | null | undefined }): Buffer | null {
  return (pastParticipants && salts.get(pastParticipants)) ?? null;
}

type Readable = Parameters<typeof proto.HistorySync.decode>[0];

function bytesIn(reader: Readable, length: number | undefined): Uint8Array {
  if (reader instanceof Uint8Array) return reader;
  return reader.buf.subarray(reader.pos, length === undefined ? reader.len : reader.pos + length);
}

function fieldIn(bytes: Uint8Array, field: number): Buffer | null {
  const reader = protobuf.Reader.create(bytes);
  let found: Buffer | null = null;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === ((field << 3) | LENGTH_DELIMITED)) found = Buffer.from(reader.bytes());
    else reader.skipType(tag & 7);
  }
  return found;
}
