// Input and output of a message builder.
import type { AnyMessageContent, MessageGenerationOptions } from "baileys";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { SessionContext } from "../../session/session-context.ts";
import type { WireMessage } from "../pending-send.ts";
import type { Recipient } from "../../addressing/recipient.ts";

export type BuildContext = {
  ctx: SessionContext;
  request: SendRequest;
  recipient: Recipient;
  byLid: boolean;
  /** False once the send has ended, for example at its deadline. */
  isWanted: () => boolean;
};

/** The content from which the library generates a message, and what accompanies it. */
export type BuiltContent = Partial<Omit<WireMessage, "message">> & {
  content: AnyMessageContent;
  options?: Partial<MessageGenerationOptions>;
  /** Called when the message is generated: its file has been uploaded. */
  discard?: () => Promise<void>;
};
export type Built = Outcome<BuiltContent> | Promise<Outcome<BuiltContent>>;
export const built = (content: AnyMessageContent, more: Omit<BuiltContent, "content"> = {}): Outcome<BuiltContent> => ({
  ok: true,
  value: { content, ...more },
});
