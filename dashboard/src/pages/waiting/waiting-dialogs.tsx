// The dialogs that change or cancel waiting messages.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { refresh } from "../../api/cache.ts";
import { serverNow } from "../../api/server-time.ts";
import { localValue, timeIn } from "../../domain/send-times.ts";
import { ConfirmDialog, FormDialog } from "../../ui/forms/form-dialog.tsx";
import { TextArea, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { announce, toast } from "../../ui/toast.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { TimeField } from "./waiting-time.tsx";
import { WAITING, type WaitingSend } from "./waiting-reads.ts";

type OfSend = { id: string; send: WaitingSend; onClose: () => void };

export function Edit({ id, send, onClose }: OfSend) {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  const [at, until] = [Date.parse(send.at), Date.parse(send.until)];
  const [now] = useState(serverNow);
  const form = useForm(async (fields, idempotencyKey) => {
    const text = textOf(fields, "text").trim();
    const changes = {
      ...changedTime(fields, "at", at),
      ...changedTime(fields, "until", until),
      ...(!HAS_TEXT.has(send.type) || text === send.text ? {} : { text }),
    };
    if (Object.keys(changes).length > 0) {
      await api("PATCH /connections/{id}/waiting/{message_id}", { id, message_id: send.message_id, ...changes }, { idempotencyKey });
      await refresh(client, [WAITING]);
    }
    onClose();
  });
  return (
    <FormDialog title={texts.later.editTitle} form={form} submit={texts.save} onClose={onClose}>
      {/* The user can keep the time of an overdue message. */}
      <TimeField at={at} from={Math.min(at, now)} />
      <UntilField until={until} from={Math.min(until, now)} />
      {HAS_TEXT.has(send.type) && (
        <TextArea
          label={send.type === "text" ? texts.types.text : texts.caption}
          name="text"
          defaultValue={send.text ?? ""}
          required={send.type === "text"}
          characters={65_536}
          rows={5}
        />
      )}
    </FormDialog>
  );
}

/** The field for the time after which the message is no longer sent. */
function UntilField({ until, from }: { until: number; from: number }) {
  const texts = useTexts(CHATS).later;
  return (
    <TextField
      label={texts.until}
      name="until"
      type="datetime-local"
      hint={texts.untilHint}
      defaultValue={localValue(until)}
      min={localValue(from)}
      required
    />
  );
}

/** Returns an empty object if the user did not change the time. If only `at` changes, the API shifts `until` by the same amount. */
function changedTime(fields: FormData, name: "at" | "until", known: number): { at?: string; until?: string } {
  const time = textOf(fields, name);
  const chosen = time === localValue(known) ? null : timeIn(time);
  return chosen === null ? {} : { [name]: new Date(chosen).toISOString() };
}

export function Cancel({ id, send, onClose }: OfSend) {
  const texts = useTexts(CHATS).later;
  const cancel = async () => {
    const { data } = await api("DELETE /connections/{id}/waiting/{message_id}", { id, message_id: send.message_id });
    if (data.count === 0) toast(texts.gone, { kind: "bad" });
    else announce(texts.cancelled);
  };
  const lost = send.type === "text" ? texts.cancelLost : texts.cancelLostFile;
  return <CancelDialog title={texts.cancelTitle} lost={lost} onClose={onClose} cancel={cancel} />;
}

type OfChat = { id: string; chatId: string | null; onClose: () => void };

export function CancelEvery({ id, chatId, onClose }: OfChat) {
  const texts = useTexts(CHATS).later;
  const cancel = async () => {
    const { data } = await api("DELETE /connections/{id}/waiting", { id, chat_id: chatId });
    announce(texts.cancelledAll(data.count));
  };
  const title = chatId === null ? texts.cancelAllTitle : texts.cancelChatTitle;
  return <CancelDialog title={title} lost={texts.cancelAllLost} onClose={onClose} cancel={cancel} />;
}

type CancelDialogProps = { title: string; lost: string; onClose: () => void; cancel: () => Promise<void> };

function CancelDialog({ title, lost, onClose, cancel }: CancelDialogProps) {
  const texts = useTexts(CHATS).later;
  const client = useQueryClient();
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={title}
      lost={<p>{lost}</p>}
      action={texts.cancelAction}
      onConfirm={async () => {
        await cancel();
        await refresh(client, [WAITING]);
      }}
    />
  );
}

const HAS_TEXT: ReadonlySet<string> = new Set(["text", "image", "video", "document"]);
