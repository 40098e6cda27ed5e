// The salt of first-contact tokens (docs/internals/sends.md, "Tokens for first messages") comes in two fields that the library's messages do not know, and drop. They
// are read where the library decodes those messages, and travel on inside what it passes to its events.
import { proto } from "baileys";
import protobuf from "protobufjs/minimal.js";

/** Numbers on the wire: `SyncActionValue.nctSaltSyncAction`, its `salt`, and `HistorySync.nctSalt`. */
const ACTION_FIELD = 80;
const ACTION_SALT_FIELD = 1;
const HISTORY_FIELD = 19;
/** Wire type of a field with a length. */
const LENGTH_DELIMITED = 2;
/** An unknown action becomes no event, that of a locale does: it carries the salt behind this mark. */
const MARK = "nct-salt:";

/** By the list of past participants, which the library passes on as it is. */
const salts = new WeakMap<object, Buffer>();
let areRead = false;

/** Process-wide. The self-check verifies that it takes effect. */
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

/** Null for a true locale. */
export function saltInLocale(locale: unknown): Buffer | null {
  return typeof locale === "string" && locale.startsWith(MARK) ? Buffer.from(locale.slice(MARK.length), "base64") : null;
}

export function saltInHistory({ pastParticipants }: { pastParticipants?: proto.IPastParticipants[] | null | undefined }): Buffer | null {
  return (pastParticipants && salts.get(pastParticipants)) ?? null;
}

type Readable = Parameters<typeof proto.HistorySync.decode>[0];

/** Without moving the reader. */
function bytesIn(reader: Readable, length: number | undefined): Uint8Array {
  if (reader instanceof Uint8Array) return reader;
  return reader.buf.subarray(reader.pos, length === undefined ? reader.len : reader.pos + length);
}

/** The last one counts, as in any decoder. */
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
