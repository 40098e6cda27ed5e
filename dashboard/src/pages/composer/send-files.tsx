// The dialog for files that were chosen, pasted or dropped. They are sent in order, each as its own message.
import { useQueryClient } from "@tanstack/react-query";
import { FileText, X } from "lucide-react";
import { useCallback, useId, useRef, useState } from "react";
import { LIMITS } from "@gateway/domain/limits.ts";
import { refresh } from "../../api/cache.ts";
import { Refused, refusalText } from "../../api/refused.ts";
import { serverNow } from "../../api/server-time.ts";
import { isPicture, kindOfFile } from "../../domain/messages/chosen-files.ts";
import { sizeText } from "../../domain/formats.ts";
import { nextHour } from "../../domain/send-times.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, Select, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { announce, toast } from "../../ui/toast.tsx";
import { CHATS, UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";
import { WAITING } from "../waiting/waiting-reads.ts";
import { shownTime } from "../waiting/shown-time.ts";
import { chosenTime, PICKED, timeChoices, TimeField } from "../waiting/waiting-time.tsx";
import { type Sending, type Target, useSend } from "./send.ts";

type SendFilesProps = {
  /** The files that are not sent yet. */
  files: readonly File[];
  documents?: readonly File[];
  target: Target;
  offline: boolean;
  /** Called when the file was sent or removed. Without files, the dialog is gone. */
  onGone: (file: File) => void;
  onClose: () => void;
  onSent: () => void;
};

export function SendFiles({ files, documents, target, offline, onGone, onClose, onSent }: SendFilesProps) {
  const texts = useTexts(CHATS);
  const { cancel } = useTexts(UI);
  const language = useLanguage();
  const client = useQueryClient();
  const first = useSend(target);
  const others = useSend({ ...target, quotedId: null });
  const id = useId();
  const [now] = useState(serverNow);
  const [hasSent, setSent] = useState(false);
  const [failed, setFailed] = useState<File | null>(null);
  /** The uploaded part of the file, from 0 to 1, or null once its message is being sent. */
  const [uploaded, setUploaded] = useState<number | null>(0);
  /** Null while a message is being sent. */
  const uploading = useRef<AbortController>(null);
  const submit = useRef<HTMLButtonElement>(null);
  /** Pictures that this browser cannot show. Phones could not show them as photos either. */
  const [unshown, setUnshown] = useState<ReadonlySet<File>>(new Set());
  const choices = timeChoices(texts.later, { now, offline, language });
  const [chosen, choose] = useState("");
  const when = choices.some(({ value }) => value === chosen) ? chosen : (choices[0]?.value ?? "now");
  const sendable = files.filter(({ size }) => size <= LIMITS.bodyBytes);
  const kindOf = (file: File) => (documents?.includes(file) === true || unshown.has(file) ? "document" : kindOfFile(file.type));
  const form = useForm(async (fields) => {
    const caption = textOf(fields, "caption").trim();
    const at = chosenTime(when, fields);
    const delivery = at === undefined ? {} : { delivery: { at: at === null ? null : new Date(at).toISOString() } };
    for (const [place, file] of sendable.entries()) {
      // The caption and the quote belong to the first message.
      const { sendFile } = place === 0 ? first : others;
      const captioned = place === 0 && caption !== "" ? { caption } : {};
      const { signal } = (uploading.current = new AbortController());
      const onProgress = (sent: number | null) => {
        if (sent === null) uploading.current = null;
        setUploaded(sent);
      };
      try {
        const sendingOf = (media: string): Sending => ({ kind: kindOf(file), media, ...captioned, ...delivery });
        await sendFile(file, sendingOf, { signal, onProgress });
      } catch (error) {
        if (error === signal.reason) {
          keepTyped(id);
          return;
        }
        setFailed(file);
        // The user has left the chat, which would have shown the error.
        if (error instanceof Refused && document.getElementById(id) === null) {
          const left = sendable.length - 1 - place;
          toast(`${file.name}: ${refusalText(error, language)}${left === 0 ? "" : ` ${texts.filesLeft(left)}`}`, { kind: "bad" });
        }
        throw error;
      } finally {
        setUploaded(0);
      }
      setSent(true);
      onGone(file);
      onSent();
    }
    if (at !== undefined) {
      announce(at === null ? texts.later.acceptedOnline : texts.later.accepted(shownTime(at, language)));
      await refresh(client, [WAITING]);
    }
  });
  const stop = () => {
    if (uploading.current === null) return;
    uploading.current.abort();
    announce(texts.later.cancelled);
    // The button that was clicked goes.
    submit.current?.focus();
  };
  const [only] = files;
  const [next] = sendable;
  return (
    <Dialog
      open
      onClose={onClose}
      // Otherwise nothing would show the end of the upload.
      closable={!form.busy}
      title={only !== undefined && files.length === 1 ? texts.chosen(only.name) : texts.chosenFiles(files.length)}
      actions={
        <>
          <p role="status" className="basis-full text-sm text-soft empty:hidden">
            {form.busy && next !== undefined ? texts.uploading(next.name) : ""}
          </p>
          {form.busy && uploaded !== null && next !== undefined && (
            <div className="flex basis-full items-center gap-3">
              <progress value={uploaded} aria-label={texts.uploaded} className="min-w-0 grow" />
              <IconButton label={texts.later.cancel} icon={X} onClick={stop} />
            </div>
          )}
          {!form.busy && <Button onClick={onClose}>{cancel}</Button>}
          <Button ref={submit} type="submit" form={id} kind="primary" busy={form.busy} disabled={next === undefined}>
            {when === "now" ? texts.send : texts.later.submit}
          </Button>
        </>
      }
    >
      <Form form={form} id={id} className="grid grid-cols-1 gap-4">
        <ul className="grid grid-cols-1 gap-2">
          {files.map((file, place) => (
            <li key={`${place - files.length}`} className="grid grid-cols-1 gap-2">
              <Chosen
                file={file}
                isOnly={files.length === 1}
                isShown={!unshown.has(file)}
                onUnshown={() => setUnshown((before) => new Set(before).add(file))}
                onRemove={files.length === 1 || form.busy ? null : () => onGone(file)}
              />
              {file === failed && <FormError refused={form.refused} />}
            </li>
          ))}
        </ul>
        {!hasSent && (
          <TextField
            label={texts.caption}
            name="caption"
            autoComplete="off"
            characters={1_024}
            data-autofocus
            {...(files.length > 1 && { hint: texts.captionHint })}
          />
        )}
        <Select
          label={texts.later.when}
          name="when"
          value={when}
          onChange={({ currentTarget: { value } }) => choose(value)}
          options={choices}
        />
        {when === PICKED && <TimeField at={nextHour(now)} from={now} />}
      </Form>
    </Dialog>
  );
}

/** Otherwise, closing the dialog would discard the caption without a question. */
function keepTyped(id: string): void {
  const form = document.getElementById(id);
  if (form instanceof HTMLFormElement) form.dataset["typed"] = "unsaved";
}

type ChosenProps = { file: File; isOnly: boolean; isShown: boolean; onUnshown: () => void; onRemove: (() => void) | null };

/** A picture, or the name and size of the file. A photo alone is shown large, without its name, which is the dialog's title. */
function Chosen({ file, isOnly, isShown, onUnshown, onRemove }: ChosenProps) {
  const texts = useTexts(CHATS);
  const isLarge = file.size > LIMITS.bodyBytes;
  const isPhoto = isPicture(file) && isShown && !isLarge;
  const picture = isPhoto && <Picture file={file} className={isOnly ? "max-h-64 justify-self-center" : "size-12"} onError={onUnshown} />;
  if (isPhoto && isOnly) return picture;
  return (
    <div className="flex items-center gap-3">
      {picture || (
        <span className="grid size-12 shrink-0 place-items-center rounded-md bg-tint text-soft">
          <FileText size={20} aria-hidden />
        </span>
      )}
      <div className="min-w-0 grow">
        <p className="private truncate">{file.name}</p>
        <p className={`text-sm ${isLarge ? "font-semibold text-bad" : "text-soft"}`}>
          {isLarge ? texts.tooLarge(sizeText(file.size)) : sizeText(file.size)}
          {isPicture(file) && !isShown && ` · ${texts.notShown}`}
        </p>
      </div>
      {onRemove !== null && <IconButton label={texts.removeFile(file.name)} icon={X} onClick={onRemove} />}
    </div>
  );
}

function Picture({ file, className, onError }: { file: File; className: string; onError: () => void }) {
  const shown = useCallback(
    (image: HTMLImageElement | null) => {
      if (image === null) return undefined;
      const address = URL.createObjectURL(file);
      image.src = address;
      return () => URL.revokeObjectURL(address);
    },
    [file],
  );
  return <img ref={shown} alt={file.name} onError={onError} className={`shrink-0 rounded-md object-cover ${className}`} />;
}
