import { channelMessageView } from "./channels/view.ts";
import { callView, chatView, presenceViews } from "./chats/view.ts";
import { groupViews } from "./groups/view.ts";
import { messageViews, statusPostView } from "./messages/view.ts";
import type { ApiStyle } from "./style.ts";

export type Views = ReturnType<typeof viewsOf>;

export function viewsOf(style: ApiStyle) {
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
