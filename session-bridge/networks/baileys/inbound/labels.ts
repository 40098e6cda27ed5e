import type { BaileysEventMap } from "baileys";
import { chatIdOf } from "../addressing/lid-mapping.ts";
import type { SessionContext } from "../session/session-context.ts";

export function labelEdit(ctx: SessionContext, { id, name, color, deleted, predefinedId }: BaileysEventMap["labels.edit"]): void {
  const timestamp = Math.floor(ctx.now() / 1000);
  if (deleted) return ctx.emit([{ key: null, event: { type: "label.deleted", label_id: id, timestamp } }]);
  const event = {
    type: "label.updated" as const,
    label_id: id,
    name: name ?? "",
    color: color ?? 0,
    predefined: predefinedId !== undefined,
    timestamp,
  };
  ctx.emit([{ key: null, event }]);
}

export function labelAssociation(ctx: SessionContext, { association, type }: BaileysEventMap["labels.association"]): void {
  const chat = chatIdOf(ctx, association.chatId);
  if (chat === null) return;
  const timestamp = Math.floor(ctx.now() / 1000);
  const labelled = { label_id: association.labelId, chat_id: chat, labelled: type === "add", timestamp };
  ctx.emit([
    {
      key: null,
      event:
        "messageId" in association
          ? { type: "label.message", message_id: association.messageId, ...labelled }
          : { type: "label.chat", ...labelled },
    },
  ]);
}
