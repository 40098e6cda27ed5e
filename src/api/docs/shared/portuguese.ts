// The documentation of the routes that both APIs have in Portuguese, by its English texts. Each text is in the file of the routes that say it.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";
import { channelsTexts } from "./portuguese/channels.ts";
import { chatsTexts } from "./portuguese/chats.ts";
import { commonTexts } from "./portuguese/common.ts";
import { fieldsTexts } from "./portuguese/fields.ts";
import { groupsTexts } from "./portuguese/groups.ts";
import { messagesTexts } from "./portuguese/messages.ts";
import { peopleTexts } from "./portuguese/people.ts";
import { presenceTexts } from "./portuguese/presence.ts";

export const SHARED_TEXTS: Catalogue = {
  ...commonTexts,
  ...fieldsTexts,
  ...messagesTexts,
  ...chatsTexts,
  ...groupsTexts,
  ...peopleTexts,
  ...presenceTexts,
  ...channelsTexts,
};
