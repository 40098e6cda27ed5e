import type { proto, WAMessage } from "baileys";
import type { Place } from "../content/network-message.ts";
import { numberOf } from "../content/numbers.ts";
import { DEDUPE } from "../dedupe-keys.ts";
import { openVote } from "../polls.ts";
import type { SessionContext } from "../session-context.ts";
import { memoryOf } from "../session-memory.ts";

/** A vote on a poll that the number sent; votes on polls of others stay closed (interface, Events: `poll.vote`). */
export function vote(ctx: SessionContext, message: WAMessage, place: Place, { pollCreationMessageKey, vote: sealed }: proto.Message.IPollUpdateMessage): void {
  const pollId = pollCreationMessageKey?.id;
  if (!pollId || !sealed) return;
  const { book, polls, releases } = memoryOf(ctx.link);
  const voter = place.fromMe ? book.own() : place.sender;
  if (voter === null) return;
  const poll = polls.find(ctx.rows, pollId).catch(() => null);
  releases.after(ctx, place.chatId, poll, (found) => {
    const options = found && openVote({ pollId, vote: sealed, creator: book.own(), voter }, found);
    if (!options) return void ctx.logger.info({ pollId, known: found !== null }, "vote.unreadable");
    ctx.emit([{
      key: DEDUPE.change("vote", place.chatId, message.key.id ?? ""),
      event: {
        type: "poll.vote", chat_id: place.chatId, message_id: pollId, from_me: place.fromMe, voter: place.sender, options,
        timestamp: numberOf(message.messageTimestamp),
      },
    }]);
  });
}
