// Every route of the Connection API, family by family, in the order in which the documentation shows them.
import { calls } from "./calls/routes.ts";
import { channels } from "./channels/routes.ts";
import { chats } from "./chats/routes.ts";
import { contacts } from "./contacts/routes.ts";
import { groups } from "./groups/routes.ts";
import { instance } from "./instance/routes.ts";
import { labels } from "./labels/routes.ts";
import { messages } from "./messages/routes.ts";
import { presence } from "./presence/routes.ts";
import { profile } from "./profile/routes.ts";
import type { Family, Route } from "./route.ts";
import { statuses } from "./statuses/routes.ts";

export const FAMILIES: readonly Family[] = [
  instance,
  messages,
  chats,
  groups,
  contacts,
  labels,
  channels,
  statuses,
  presence,
  profile,
  calls,
];

export const ROUTES: readonly Route[] = FAMILIES.flatMap(({ name, routes }) => routes.map((row) => ({ ...row, tag: name })));
