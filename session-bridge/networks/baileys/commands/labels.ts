// Labels of a business account. The network cannot list them and does not echo our changes.
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { jidOfChat } from "../addressing/jids.ts";
import { resolveRecipient } from "../addressing/recipient.ts";
import type { SessionContext } from "../session/session-context.ts";
import { changeAppState } from "./app-state.ts";
import type { CommandHandlers } from "./command-handlers.ts";
import { fail } from "@gateway/protocol/failures.ts";

const COLLECTION = "regular";

export const labelCommands: CommandHandlers<"labels"> = {
  "labels.put": async (ctx, { label_id, name, color, predefined }) => {
    const changed = await changeAppState(ctx, { addLabel: { id: label_id, name, color } }, "");
    if (changed.ok) report(ctx, { type: "label.updated", label_id, name, color, predefined, timestamp: seconds(ctx) });
    return changed;
  },

  "labels.remove": async (ctx, { label_id, name, color }) => {
    const changed = await changeAppState(ctx, { addLabel: { id: label_id, name, color, deleted: true } }, "");
    if (changed.ok) report(ctx, { type: "label.deleted", label_id, timestamp: seconds(ctx) });
    return changed;
  },

  "labels.chat": async (ctx, { chat_id, add, remove }) => {
    const found = await resolveRecipient(ctx, chat_id);
    if (!found.ok) return found.failure.code === "number_not_on_network" ? fail("chat_not_found") : found;
    const { jid, lidJid, chatId } = found.value;
    // Phones show a label only under the chat's current address, so it is removed under both.
    const names = lidJid === null ? [jid] : [lidJid, jid];
    const changes = [
      ...add.map((labelId) => ({ labelId, labelled: true, under: names.slice(0, 1) })),
      ...remove.map((labelId) => ({ labelId, labelled: false, under: names })),
    ];
    for (const { labelId, labelled, under } of changes) {
      for (const name of under) {
        const changed = await changeAppState(ctx, labelled ? { addChatLabel: { labelId } } : { removeChatLabel: { labelId } }, name);
        if (!changed.ok) return changed;
      }
      report(ctx, { type: "label.chat", label_id: labelId, chat_id: chatId, labelled, timestamp: seconds(ctx) });
    }
    return { ok: true, value: { chat_id: chatId } };
  },

  "labels.message": async (ctx, { chat_id, message_id, label_id, labelled }) => {
    const target = { messageId: message_id, labelId: label_id };
    const change = labelled ? { addMessageLabel: target } : { removeMessageLabel: target };
    const changed = await changeAppState(ctx, change, jidOfChat(chat_id));
    if (changed.ok) report(ctx, { type: "label.message", label_id, chat_id, message_id, labelled, timestamp: seconds(ctx) });
    return changed;
  },

  "labels.resync": async (ctx) => {
    await ctx.sock.resyncAppState([COLLECTION], false);
    return { ok: true, value: {} };
  },
};

function report(ctx: SessionContext, event: NetworkEvent): void {
  ctx.emit([{ key: null, event }]);
}

function seconds(ctx: SessionContext): number {
  return Math.floor(ctx.now() / 1000);
}
