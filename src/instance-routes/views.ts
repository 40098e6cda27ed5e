// How one of the two APIs shows every record, in its style.
import { callView } from "./calls/views.ts";
import { channelMessageView } from "./channels/views.ts";
import { chatView, presenceViews } from "./chats/views.ts";
import { groupViews } from "./groups/views.ts";
import { messageViews } from "./messages/views.ts";
import { statusPostView } from "./statuses/views.ts";
import type { AnswerStyle } from "./style.ts";

export type Views = ReturnType<typeof viewsOf>;

export function viewsOf(style: AnswerStyle) {
  const messages = messageViews(style);
  return {
    ...messages,
    chat: chatView(style),
    ...presenceViews(style),
    ...groupViews(style),
    channelMessage: channelMessageView(style, messages.media),
    statusPost: statusPostView(style, messages.media),
    call: callView(style),
  };
}
