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
  isWanted: () => boolean;
};

export type BuiltContent = Partial<Omit<WireMessage, "message">> & {
  content: AnyMessageContent;
  options?: Partial<MessageGenerationOptions>;
  discard?: () => Promise<void>;
};
export type Built = Outcome<BuiltContent> | Promise<Outcome<BuiltContent>>;
export const built = (content: AnyMessageContent, more: Omit<BuiltContent, "content"> = {}): Outcome<BuiltContent> => ({
  ok: true,
  value: { content, ...more },
});
