// Edits by newer clients, encrypted under the secret of the edited message.
import { proto, type WAMessage } from "baileys";
import type { MessageSource } from "../content/network-message.ts";
import { unwrap } from "../content/unwrap.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { isEdit, messageSecretsOf, openEdit } from "../memory/message-secrets.ts";
import type { SessionContext } from "../session/session-context.ts";
import { chatEventQueueOf } from "./chat-event-queue.ts";
import { changeEvent } from "./message-changes.ts";

const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;

/** The encryption key is bound to the authors of message and edit, so only the message's author can edit it. */
export function sealedEdit(
  ctx: SessionContext,
  message: WAMessage,
  source: MessageSource,
  sealed: proto.Message.ISecretEncryptedMessage,
): void {
  const id = sealed.targetMessageKey?.id;
  const author = source.fromMe ? identityOf(ctx.session).own : source.sender;
  if (!id || author === null) return;
  const found = messageSecretsOf(ctx.session)
    .find(ctx.rows, source.chatId, id)
    .catch(() => null);
  chatEventQueueOf(ctx.session).enqueueAfter(ctx, source.chatId, found, (secret) => {
    if (!isEdit(sealed)) return unreadable(ctx, id, "unknown_type");
    if (secret === null) return unreadable(ctx, id, "unknown_secret");
    const edited = openEdit(sealed, { id, secret, author });
    if (edited === null) return unreadable(ctx, id, "wrong_secret");
    const event = changeEvent(ctx, message, source, changeOf(edited, id));
    if (event) ctx.emit([event]);
  });
}

/** Clients encrypt either the whole change or just the new content; both become a plain edit. */
function changeOf(edited: proto.IMessage, id: string): proto.Message.IProtocolMessage {
  const change = unwrap(edited).content.protocolMessage;
  return { ...(change ?? { editedMessage: edited }), type: MESSAGE_EDIT, key: { id } };
}

function unreadable(ctx: SessionContext, messageId: string, reason: string): void {
  ctx.metrics.editUnreadable(reason);
  ctx.logger.info({ messageId, reason }, "edit.unreadable");
}
