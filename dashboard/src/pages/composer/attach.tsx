import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { LocateFixed } from "lucide-react";
import { Suspense, useState } from "react";
import { callOfSend, typedOptions, typedPlace } from "../../domain/sends.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { phoneIn, PhoneField } from "../../ui/forms/phone-field.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { type Sending, type Target, useSend } from "./send.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const Snippets = lazyPart(() => import("../../ui/code/snippets.tsx").then(({ Snippets: component }) => component));

type AttachmentProps = SendCallProps & { kind: "location" | "contact" | "poll" | "call"; onSent: () => void };

/** The dialog for what was chosen in the menu, apart from files. */
export function Attachment({ kind, target, text, onClose, onSent }: AttachmentProps) {
  const { send } = useSend(target);
  const onSend = async (sending: Sending) => {
    await send(sending);
    onSent();
  };
  if (kind === "call") return <SendCall target={target} text={text} onClose={onClose} />;
  if (kind === "contact") return <SendContact onClose={onClose} onSend={onSend} />;
  if (kind === "location") return <SendPlace onClose={onClose} onSend={onSend} />;
  return <SendPoll onClose={onClose} onSend={onSend} />;
}

type Common = { onClose: () => void };
type Sends = Common & { onSend: (sending: Sending) => Promise<void> };

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

function SendContact({ onClose, onSend }: Sends) {
  const texts = useTexts(CHATS);
  const form = useForm(async (fields) => {
    const contact = { full_name: textOf(fields, "name").trim(), phone: phoneIn(fields, "phone") ?? "" };
    await onSend({ kind: "contact", contacts: [contact] });
    onClose();
  });
  return (
    <FormDialog title={texts.contact} form={form} submit={texts.send} onClose={onClose}>
      <TextField label={texts.contactName} name="name" required autoComplete="off" characters={256} data-autofocus />
      <PhoneField label={texts.number} name="phone" autoComplete="off" />
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
