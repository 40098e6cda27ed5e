import type { BinaryNode } from "baileys";

export interface DeviceLink {
  /** False until the device is ready for messages; until then they stay queued. */
  readonly active: boolean;
  /** `encoded` is the same stanza in wire form, if already available. */
  send(stanza: BinaryNode, encoded?: Uint8Array): void;
  end(lastStanza?: BinaryNode): void;
  /** Drops the connection without a stanza; absent without a socket. */
  drop?(): void;
  /** Keeps the connection open without reading or writing; absent without a socket. */
  freeze?(): void;
}
