import type { BinaryNode } from "baileys";

/** The way to a device that is connected: a socket, or a simulated phone in this process. */
export interface DeviceLink {
  /** False until the device has said that it is ready for messages; what is meant for it then waits in its queue. */
  readonly active: boolean;
  /** `encoded` is the same stanza in its wire form, when somebody has made it already. */
  send(stanza: BinaryNode, encoded?: Uint8Array): void;
  /** Says a last word and closes. */
  end(lastWord?: BinaryNode): void;
  /** Cuts the line without a word; absent where there is no line. */
  drop?(): void;
}
