// Dialogs opened from a message's menu. They load when the first one opens.
import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { ConfirmDialog, FormDialog } from "../../ui/forms/form-dialog.tsx";
import { TextArea, textOf, useForm } from "../../ui/forms/field.tsx";
import { toast } from "../../ui/toast.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Forward } from "./forward.tsx";
import { type Message, refreshChats } from "./reads.ts";

type DialogProps = { message: Message; id: string; onClose: () => void };

export function MessageDialog({ kind, ...rest }: DialogProps & { kind: "edit" | "remove" | "forward" }) {
  if (kind === "edit") return <Edit {...rest} />;
  return kind === "remove" ? <Remove {...rest} /> : <Forward {...rest} />;
}

function Edit({ message: { chat_id, message_id, text }, id, onClose }: DialogProps) {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  const form = useForm(async (fields, idempotencyKey) => {
    const change = { id, chat_id, message_id, text: textOf(fields, "text") };
    await api("PUT /connections/{id}/chats/{chat_id}/messages/{message_id}", change, { idempotencyKey });
    onClose();
    await refreshChats(client);
  });
  return (
    <FormDialog title={texts.editing} form={form} submit={texts.save} onClose={onClose}>
      <TextArea label={texts.types.text} name="text" defaultValue={text ?? ""} required characters={65_536} data-autofocus rows={5} />
    </FormDialog>
  );
}

function Remove({ message: { chat_id, message_id }, id, onClose }: DialogProps) {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={texts.removeTitle}
      lost={<p>{texts.removeLost}</p>}
      action={texts.remove}
      onConfirm={async () => {
        await api("DELETE /connections/{id}/chats/{chat_id}/messages/{message_id}", { id, chat_id, message_id });
        toast(texts.removed);
        await refreshChats(client);
      }}
    />
  );
}
