// The documentation of the Connection API in Portuguese, by its English texts. Each text is in the file of the routes that say it.
import type { Catalogue } from "../../http/openapi/translate.ts";
import { channelsTexts } from "./portuguese/channels.ts";
import { chatsTexts } from "./portuguese/chats.ts";
import { fieldsTexts } from "./portuguese/fields.ts";
import { groupsTexts } from "./portuguese/groups.ts";
import { instanceTexts } from "./portuguese/instance.ts";
import { messagesTexts } from "./portuguese/messages.ts";
import { peopleTexts } from "./portuguese/people.ts";
import { sharedTexts } from "./portuguese/shared.ts";

export const PORTUGUESE_TEXTS: Catalogue = {
  ...sharedTexts,
  ...fieldsTexts,
  ...instanceTexts,
  ...messagesTexts,
  ...chatsTexts,
  ...groupsTexts,
  ...peopleTexts,
  ...channelsTexts,
};
