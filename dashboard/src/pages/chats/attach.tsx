import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { LocateFixed } from "lucide-react";
import { Suspense, useId, useState } from "react";
import { refresh } from "../../api/cache.ts";
import { Refused, refusalText } from "../../api/refused.ts";
import { serverNow } from "../../api/server-time.ts";
import { callOfSend, kindOfFile, typedOptions, typedPlace } from "../../domain/sends.ts";
import { nextHour } from "../../domain/send-times.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, Select, TextArea, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { announce, toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";
import type { Attaching } from "./attach-menu.tsx";
import { type Sending, type Target, useSend } from "./send.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { WAITING } from "../waiting/waiting-reads.ts";
import { shownTime } from "../waiting/shown-time.ts";
import { chosenTime, PICKED, timeChoices, TimeField } from "../waiting/waiting-time.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const Snippets = lazyPart(() => import("../../ui/code/snippets.tsx").then(({ Snippets: component }) => component));

type AttachmentProps = SendCallProps & { attaching: Attaching | { file: File }; offline: boolean; onSent: () => void };

/** The dialog for an attachment that was chosen in the menu, pasted or dropped. */
export function Attachment({ attaching, target, text, offline, onClose, onSent }: AttachmentProps) {
  const { send, sendFile } = useSend(target);
  const onSend = async (sending: Sending) => {
    await send(sending);
    onSent();
  };
  if ("file" in attaching) {
    const { file } = attaching;
    const kind = "kind" in attaching ? attaching.kind : kindOfFile(file.type);
    return (
      <SendFile
        key={`${file.name} ${file.lastModified}`}
        file={file}
        kind={kind}
        offline={offline}
        onClose={onClose}
        onSend={async (fields) => {
          await sendFile(file, (media) => ({ kind, media, ...fields }));
          onSent();
        }}
      />
    );
  }
  if (attaching.kind === "call") return <SendCall target={target} text={text} onClose={onClose} />;
  if (attaching.kind === "location") return <SendPlace onClose={onClose} onSend={onSend} />;
  return <SendPoll onClose={onClose} onSend={onSend} />;
}

type Common = { onClose: () => void };
type Sends = Common & { onSend: (sending: Sending) => Promise<void> };

type FileFields = { caption?: string; delivery?: { at: string | null } };
type SendFileProps = Common & {
  file: File;
  kind: "image" | "video" | "document";
  offline: boolean;
  onSend: (fields: FileFields) => Promise<void>;
};

function SendFile({ file, kind, offline, onClose, onSend }: SendFileProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const client = useQueryClient();
  const id = useId();
  const [now] = useState(serverNow);
  const choices = timeChoices(texts.later, { now, offline, language });
  const [chosen, choose] = useState("");
  const when = choices.some(({ value }) => value === chosen) ? chosen : (choices[0]?.value ?? "now");
  const form = useForm(async (fields) => {
    const caption = textOf(fields, "caption").trim();
    const at = chosenTime(when, fields);
    const sent = onSend({
      ...(caption === "" ? {} : { caption }),
      ...(at === undefined ? {} : { delivery: { at: at === null ? null : new Date(at).toISOString() } }),
    });
    await sent.catch((error: unknown) => {
      // The user has left the chat, which would have shown the error.
      if (error instanceof Refused && document.getElementById(id) === null)
        toast(`${file.name}: ${refusalText(error, language)}`, { kind: "bad" });
      throw error;
    });
    if (at !== undefined) {
      announce(at === null ? texts.later.acceptedOnline : texts.later.accepted(shownTime(at, language)));
      await refresh(client, [WAITING]);
    }
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      // Otherwise the end of the upload would close the next file's dialog.
      closable={!form.busy}
      title={texts.chosen(file.name)}
      actions={
        <Button type="submit" form={id} kind="primary" busy={form.busy}>
          {when === "now" ? texts.send : texts.later.submit}
        </Button>
      }
    >
      <Form form={form} id={id} className="grid gap-4">
        {kind === "image" && <Preview file={file} />}
        <TextField label={texts.caption} name="caption" autoComplete="off" characters={1_024} data-autofocus />
        <Select
          label={texts.later.when}
          name="when"
          value={when}
          onChange={({ currentTarget: { value } }) => choose(value)}
          options={choices}
        />
        {when === PICKED && <TimeField at={nextHour(now)} from={now} />}
        <p role="status" className="text-sm text-soft empty:hidden">
          {form.busy ? texts.uploading(file.name) : ""}
        </p>
        <FormError refused={form.refused} />
      </Form>
    </Dialog>
  );
}

function Preview({ file }: { file: File }) {
  return (
    <img
      alt={file.name}
      className="max-h-64 justify-self-center rounded-md"
      ref={(image) => {
        if (image === null) return undefined;
        const address = URL.createObjectURL(file);
        image.src = address;
        return () => URL.revokeObjectURL(address);
      }}
    />
  );
}

function SendPlace({ onClose, onSend }: Sends) {
  const texts = useTexts(CHATS);
  const [here, setHere] = useState({ text: "", no: 0 });
  const locate = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) =>
        setHere(({ no }) => ({ text: `${latitude.toFixed(6)}, ${longitude.toFixed(6)}`, no: no + 1 })),
      () => toast(texts.placeUnknown, { kind: "bad" }),
      { enableHighAccuracy: true, timeout: 15_000 },
    );
  const form = useForm(async (fields) => {
    const place = typedPlace(textOf(fields, "latitude")) ?? { latitude: 0, longitude: 0 };
    const name = textOf(fields, "name").trim();
    await onSend({ kind: "location", ...place, ...(name === "" ? {} : { name }) });
    onClose();
  });
  return (
    <FormDialog title={texts.location} form={form} submit={texts.send} onClose={onClose}>
      <Button icon={LocateFixed} onClick={locate}>
        {texts.placeHere}
      </Button>
      <TextField
        key={here.no}
        label={texts.place}
        name="latitude"
        defaultValue={here.text}
        required
        autoComplete="off"
        hint={texts.placeHint}
        data-autofocus
        onInput={({ currentTarget }) => currentTarget.setCustomValidity(typedPlace(currentTarget.value) === null ? texts.placeWrong : "")}
      />
      <TextField label={texts.placeName} name="name" autoComplete="off" characters={256} />
    </FormDialog>
  );
}

function SendPoll({ onClose, onSend }: Sends) {
  const texts = useTexts(CHATS);
  const form = useForm(async (fields) => {
    const options = typedOptions(textOf(fields, "options")) ?? [];
    const question = textOf(fields, "question").trim();
    await onSend({ kind: "poll", question, options, selectable_count: fields.has("several") ? 0 : 1 });
    onClose();
  });
  return (
    <FormDialog title={texts.poll} form={form} submit={texts.send} onClose={onClose}>
      <TextField label={texts.question} name="question" required autoComplete="off" characters={255} data-autofocus />
      <TextArea
        label={texts.options}
        name="options"
        required
        rows={4}
        hint={texts.optionsHint}
        onInput={({ currentTarget }) =>
          currentTarget.setCustomValidity(typedOptions(currentTarget.value) === null ? texts.optionsHint : "")
        }
      />
      <Check label={texts.several} name="several" />
    </FormDialog>
  );
}

type SendCallProps = Common & { target: Target; text: string };

function SendCall({ target: { chatId, quotedId }, text, onClose }: SendCallProps) {
  const texts = useTexts(CHATS);
  const message = { kind: "text", chat_id: chatId, text: text === "" ? "Olá!" : text };
  const call = quotedId === null ? message : { ...message, quoted_message_id: quotedId };
  return (
    <Dialog open onClose={onClose} title={texts.callTitle} size="wide">
      <Suspense>
        <Snippets call={callOfSend(location.origin, call)} />
      </Suspense>
    </Dialog>
  );
}
