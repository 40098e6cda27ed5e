import type { proto, WAMessage } from "baileys";
import type { MessageSource } from "../content/network-message.ts";
import { numberOf } from "../content/numbers.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { decryptVote, pollsOf } from "../memory/polls.ts";
import type { SessionContext } from "../session/session-context.ts";
import { chatEventQueueOf } from "./chat-event-queue.ts";

export function vote(
  ctx: SessionContext,
  message: WAMessage,
  source: MessageSource,
  { pollCreationMessageKey, vote: sealed }: proto.Message.IPollUpdateMessage,
): void {
  const pollId = pollCreationMessageKey?.id;
  if (!pollId || !sealed) return;
  const { own } = identityOf(ctx.session);
  const voter = source.fromMe ? own : source.sender;
  if (voter === null) return;
  const poll = pollsOf(ctx.session)
    .find(ctx.rows, pollId)
    .catch(() => null);
  chatEventQueueOf(ctx.session).enqueueAfter(ctx, source.chatId, poll, (found) => {
    const options = found && decryptVote({ pollId, vote: sealed, own, voter }, found);
    if (!options) {
      ctx.logger.info({ pollId, known: found !== null }, "vote.unreadable");
      return ctx.metrics.troubled("unread", "vote", ctx.connection);
    }
    ctx.emit([
      {
        key: DEDUPE.change("vote", source.chatId, message.key.id ?? ""),
        event: {
          type: "poll.vote",
          chat_id: source.chatId,
          message_id: pollId,
          from_me: source.fromMe,
          voter: source.sender,
          options,
          timestamp: numberOf(message.messageTimestamp),
        },
      },
    ]);
  });
}
