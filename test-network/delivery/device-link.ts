import type { BinaryNode } from "baileys";

/** A connected device's transport: a socket, or a simulated phone in this process. */
export interface DeviceLink {
  /** False until the device has said that it is ready for messages; what is meant for it then waits in its queue. */
  readonly active: boolean;
  /** `encoded` is the same stanza in its wire form, when somebody has made it already. */
  send(stanza: BinaryNode, encoded?: Uint8Array): void;
  /** Sends a last stanza, if any, and closes. */
  end(lastWord?: BinaryNode): void;
  /** Drops the connection without a stanza; absent where there is no socket. */
  drop?(): void;
  /** Leaves the connection open, and neither reads nor writes on it any more; absent where there is no socket. */
  freeze?(): void;
}
