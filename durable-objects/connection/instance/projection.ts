import type { EventHandlers } from "../projection/projection-context.ts";

export const limitEventHandlers: EventHandlers<"account.new_chat_quota"> = {
  "account.new_chat_quota": ({ quota }, { stores, now }) => stores.accountLimits.put({ checkedAt: now, newChatQuota: quota }),
};
