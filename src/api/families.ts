import { calls } from "./calls/routes.ts";
import { channels } from "./channels/routes.ts";
import { chats } from "./chats/routes.ts";
import { contacts } from "./contacts/routes.ts";
import { groups } from "./groups/routes.ts";
import { labels } from "./labels/routes.ts";
import { messages } from "./messages/routes.ts";
import { presence } from "./presence/routes.ts";
import { profile } from "./profile/routes.ts";
import type { Family } from "./route.ts";
import { statuses } from "./statuses/routes.ts";
import type { Views } from "./views.ts";

export function familiesOf(views: Views): readonly Family[] {
  return [
    messages(views),
    chats(views),
    groups(views),
    contacts,
    labels(views),
    channels(views),
    statuses(views),
    presence(views),
    profile,
    calls(views),
  ];
}
