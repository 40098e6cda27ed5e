// Waiting messages of a chat, shown below the others.
import { useQueryClient } from "@tanstack/react-query";
import { Clock3, Ellipsis } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { refresh } from "../../api/cache.ts";
import { serverNow } from "../../api/server-time.ts";
import { localValue, timeIn } from "../../domain/send-times.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, FormDialog } from "../../ui/forms/form-dialog.tsx";
import { TextArea, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { Menu } from "../../ui/menu.tsx";
import { announce, toast } from "../../ui/toast.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";
import { typeName } from "../../domain/chats.ts";
import { shownTime, TimeField } from "./waiting-time.tsx";
import { useWaitingIn, WAITING, type WaitingSend } from "./waiting-reads.ts";

type BubblesProps = { id: string; chatId: string; mayChange: boolean };

export function WaitingBubbles({ id, chatId, mayChange }: BubblesProps) {
  const texts = useTexts(CHATS).later;
  const { sends } = useWaitingIn(id, chatId);
  if (sends.length === 0) return null;
  return (
    <section aria-label={texts.title} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <div className="my-1 flex flex-wrap items-center justify-center gap-x-2">
        <p className="rounded-full bg-tint px-3 py-0.5 text-sm text-soft">{texts.title}</p>
        {mayChange && <CancelAll id={id} chatId={chatId} count={sends.length} />}
      </div>
      {sends.map((send) => (
        <article
          key={send.message_id}
          aria-label={texts.title}
          className="flex max-w-[85%] min-w-0 flex-row-reverse items-start gap-1 justify-self-end"
        >
          <div className="grid min-w-0 gap-1 rounded-lg rounded-br-md border border-dashed border-edge px-3 py-1.5">
            <Waiting send={send} />
          </div>
          {mayChange && <WaitingActions id={id} send={send} />}
        </article>
      ))}
    </section>
  );
}

/** Shows a waiting message's content, and when it will be sent. */
export function Waiting({ send: { type, text, at, until, waits_for } }: { send: WaitingSend }) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const when = shownTime(Date.parse(waits_for === "time" ? at : until), language);
  return (
    <>
      {type !== "text" && <p className="text-soft">{typeName(texts.types, type)}</p>}
      {text !== null && (
        <p dir="auto" className="private break-words whitespace-pre-wrap">
          {text}
        </p>
      )}
      <p className="flex items-center gap-1.5 text-sm text-soft">
        <Clock3 size={14} aria-hidden className="shrink-0" />
        {texts.later.waits[waits_for](when)}
      </p>
    </>
  );
}

export function WaitingActions({ id, send }: { id: string; send: WaitingSend }) {
  const texts = useTexts(CHATS).later;
  const client = useQueryClient();
  const [open, setOpen] = useState<"edit" | "cancel" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Menu
        label={<Ellipsis size={16} aria-hidden />}
        name={texts.actions}
        kind="quiet"
        align="end"
        bare
        className="w-11 shrink-0 !px-0 pointer-fine:w-9"
        items={[
          { label: texts.edit, onSelect: () => setOpen("edit") },
          { label: texts.cancel, danger: true, onSelect: () => setOpen("cancel") },
        ]}
      />
      {open === "edit" && <Edit id={id} send={send} onClose={close} />}
      <ConfirmDialog
        open={open === "cancel"}
        onClose={close}
        title={texts.cancelTitle}
        lost={<p>{send.type === "text" ? texts.cancelLost : texts.cancelLostFile}</p>}
        action={texts.cancelAction}
        onConfirm={async () => {
          const { data } = await api("DELETE /connections/{id}/waiting/{message_id}", { id, message_id: send.message_id });
          if (data.count === 0) toast(texts.gone, { kind: "bad" });
          else announce(texts.cancelled);
          await refresh(client, [WAITING]);
        }}
      />
    </>
  );
}

function Edit({ id, send, onClose }: { id: string; send: WaitingSend; onClose: () => void }) {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  const [at, until] = [Date.parse(send.at), Date.parse(send.until)];
  const [now] = useState(serverNow);
  const form = useForm(async (fields, click) => {
    const text = textOf(fields, "text").trim();
    const changes = {
      ...changedTime(fields, "at", at),
      ...changedTime(fields, "until", until),
      ...(!HAS_TEXT.has(send.type) || text === send.text ? {} : { text }),
    };
    if (Object.keys(changes).length > 0) {
      await api("PATCH /connections/{id}/waiting/{message_id}", { id, message_id: send.message_id, ...changes }, { click });
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

/** Cancels the waiting messages of one chat, or all of the number's. Not offered for a single message, because it has its own menu. */
export function CancelAll({ id, chatId, count }: { id: string; chatId: string | null; count: number }) {
  const texts = useTexts(CHATS).later;
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  if (count < 2) return null;
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {texts.cancelAll}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={chatId === null ? texts.cancelAllTitle : texts.cancelChatTitle}
        lost={<p>{texts.cancelAllLost}</p>}
        action={texts.cancelAction}
        onConfirm={async () => {
          const { data } = await api("DELETE /connections/{id}/waiting", { id, chat_id: chatId });
          announce(texts.cancelledAll(data.count));
          await refresh(client, [WAITING]);
        }}
      />
    </>
  );
}

const HAS_TEXT: ReadonlySet<string> = new Set(["text", "image", "video", "document"]);
