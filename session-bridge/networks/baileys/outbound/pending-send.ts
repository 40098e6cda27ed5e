// One send on its way, from the moment it was asked for until nobody can say more about it.
import type { proto } from "baileys";
import type { SendSettled } from "../../../../src/protocol/events.ts";
import type { SendRequest } from "../../../../src/protocol/content.ts";
import type { StoredMedia } from "../../../../src/protocol/message.ts";
import type { Recipient } from "../addressing/recipient.ts";

export type SendOutcome = SendSettled["outcome"];

/** A message in its wire form, and what its stanza says beside it. */
export type WireMessage = {
  message: proto.IMessage;
  attributes: Record<string, string>;
  /** Empty nodes of the stanza: tag to attributes. */
  tags: Record<string, Record<string, string>>;
  /** The file it carries, as we have it. */
  media: StoredMedia | null;
};

export type PendingSend = {
  request: SendRequest;
  /** Unix milliseconds. */
  deadline: number;
  timer: NodeJS.Timeout;
  /**
   * `preparing`: nothing left, it can be called off. `leaving`: handed to the library. `written`: with the network socket.
   * `answered`: the network has spoken, its answer is being looked into. `over`: settled.
   */
  stage: "preparing" | "leaving" | "written" | "answered" | "over";
  /** What goes (or went) where; known from `leaving` on. */
  sent: { recipient: Recipient; wire: WireMessage } | null;
  /** The one retry after ack 479 was used. */
  retried: boolean;
  settled: Promise<void>;
  resolveSettled: () => void;
};
