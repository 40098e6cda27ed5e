// The documentation of the Account API in Portuguese, by its English texts. Each text is in the file of the routes that say it.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";
import { accountTexts } from "./portuguese/account.ts";
import { adminTexts } from "./portuguese/admin.ts";
import { adminUsersTexts } from "./portuguese/admin-users.ts";
import { fleetTexts } from "./portuguese/fleet.ts";
import { instancesTexts } from "./portuguese/instances.ts";
import { messagesTexts } from "./portuguese/messages.ts";
import { peopleTexts } from "./portuguese/people.ts";
import { proxyTexts } from "./portuguese/proxies.ts";
import { sharedTexts } from "./portuguese/shared.ts";
import { statisticsTexts } from "./portuguese/statistics.ts";
import { webhooksTexts } from "./portuguese/webhooks.ts";

export const PORTUGUESE_TEXTS: Catalogue = {
  ...sharedTexts,
  ...instancesTexts,
  ...messagesTexts,
  ...peopleTexts,
  ...webhooksTexts,
  ...accountTexts,
  ...adminTexts,
  ...adminUsersTexts,
  ...fleetTexts,
  ...statisticsTexts,
  ...proxyTexts,
};
