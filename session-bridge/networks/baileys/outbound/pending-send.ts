import type { proto } from "baileys";
import type { SendSettled } from "@gateway/protocol/events.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { Span } from "@gateway/tracing/span.ts";
import type { Recipient } from "../addressing/recipient.ts";

export type SendOutcome = SendSettled["outcome"];

export type WireMessage = {
  message: proto.IMessage;
  attributes: Record<string, string>;
  tags: Record<string, Record<string, string>>;
  media: StoredMedia | null;
};

export type SendStage = "preparing" | "relaying" | "queued" | "written" | "answered" | "settled";

export type PendingSend = {
  request: SendRequest;
  deadline: number;
  timer: NodeJS.Timeout;
  /**
   * While `preparing`, nothing was sent, so the send can be cancelled. The message is then in the library (`relaying`), in the output gate
   * (`queued`) and in the network socket (`written`). `answered` means that the network's error ack is being handled.
   */
  stage: SendStage;
  stageSince: number;
  span: Span | null;
  sent: { recipient: Recipient; wire: WireMessage } | null;
  /** True once the current try's `sent|` row is stored. Before that, the message was certainly not sent. */
  mayHaveLeft: boolean;
  /** True if a frame of the current try, or one sent during it, was handed to the network socket. */
  hasLeft: () => boolean;
  /** True if the only retry, after ack 479 or 463, has already been used. */
  retried: boolean;
  settled: Promise<void>;
  resolveSettled: () => void;
};
