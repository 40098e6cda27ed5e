import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { readRaw } from "../content/unwrap.ts";
import { viewOf } from "../content/view.ts";
import { jidOfChat } from "../addressing/jids.ts";
import { incomingMediaOf } from "../media/incoming-media.ts";
import { keyInChat, rangeOf } from "../memory/message-secrets.ts";
import type { SessionContext } from "../session/session-context.ts";
import { changeAppState } from "./app-state.ts";
import type { CommandHandlers } from "./command-handlers.ts";

type ReportedEvent = Extract<NetworkEvent, { type: "message.starred" | "message.removed" | "chat.cleared" }>;

export const messageCommands: CommandHandlers<"messages"> = {
  "messages.star": async (ctx, { ref, star }) => {
    const { chat_id, message_id } = ref;
    const key = keyInChat(ctx.session, ref);
    if (key === null) return fail("message_not_found");
    const change = { star: { messages: [{ id: message_id, fromMe: ref.from_me }], star } };
    const event: ReportedEvent = { type: "message.starred", chat_id, message_id, starred: star };
    return report(ctx, event, changeAppState(ctx, change, jidOfChat(chat_id), key.participant ?? null));
  },

  "messages.delete_for_me": async (ctx, { ref, timestamp }) => {
    const { chat_id, message_id } = ref;
    const key = keyInChat(ctx.session, ref);
    if (key === null) return fail("message_not_found");
    const change = { deleteForMe: { deleteMedia: false, key, timestamp } };
    const event: ReportedEvent = { type: "message.removed", chat_id, message_id };
    return report(ctx, event, changeAppState(ctx, change, jidOfChat(chat_id), key.participant ?? null));
  },

  "messages.clear": (ctx, { chat_id, range }) =>
    report(
      ctx,
      { type: "chat.cleared", chat_id },
      changeAppState(ctx, { clear: true, lastMessages: rangeOf(ctx.session, range) }, jidOfChat(chat_id)),
    ),

  "messages.fetch_media": async (ctx, { raw }) => {
    const message = readRaw(raw);
    const part = viewOf(message?.message)?.media;
    if (!message || !part) return fail("media_expired");
    return incomingMediaOf(ctx.session).refetch(ctx, message, part);
  },
};

async function report(
  ctx: SessionContext,
  event: ReportedEvent,
  changing: ReturnType<typeof changeAppState>,
): Promise<Outcome<Record<string, never>>> {
  const changed = await changing;
  if (changed.ok) ctx.emit([{ key: null, event }]);
  return changed;
}
