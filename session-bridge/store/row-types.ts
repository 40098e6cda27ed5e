// How the bridge treats each row type of the network library. Unlisted types have none of these properties.

type RowType = {
  /** Part of an encryption ratchet, or a key that starts a ratchet. Reads and writes share a lock. */
  isCipherState?: true;
  /** Must be durable before dependent bytes are sent. Deletions can wait for the transaction's commit. */
  isWrittenAhead?: true;
  /** Gets a new object on every write, so an identical reference means no change. */
  isReplacedOnChange?: true;
  /** Consists of strings and numbers, so it needs neither an unpooled copy nor BufferJSON, which is slow. */
  hasNoBytes?: true;
  /** Is read only once, so it is not kept decrypted. */
  isReadOnce?: true;
};

const ROW_TYPES: Readonly<Record<string, RowType>> = {
  session: { isCipherState: true, isWrittenAhead: true, isReplacedOnChange: true, hasNoBytes: true },
  "sender-key": { isCipherState: true, isWrittenAhead: true, isReplacedOnChange: true },
  "pre-key": { isCipherState: true, isWrittenAhead: true, isReadOnce: true },
  "identity-key": { isCipherState: true },
  "lid-mapping": { hasNoBytes: true },
  "device-list": { hasNoBytes: true },
};

const OTHER: RowType = {};

export function rowType(type: string): RowType {
  return ROW_TYPES[type] ?? OTHER;
}
