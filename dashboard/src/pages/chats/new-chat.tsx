// Checks the number on the network first, where possible: messages to numbers that do not exist hurt the sender's reputation.
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { typedPhone } from "../../domain/chats.ts";
import { TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { useLacks } from "./reads.ts";
import { CHATS } from "../../texts/catalogs.ts";

type NewChatProps = { id: string; open: boolean; onClose: () => void };

export function NewChat(props: NewChatProps) {
  return props.open ? <Opened {...props} /> : null;
}

function Opened({ id, onClose }: NewChatProps) {
  const texts = useTexts(CHATS);
  const navigate = useNavigate();
  const [missing, setMissing] = useState(false);
  const mayCheck = !useLacks(id).includes("check");
  const open = async (phone: string) => {
    onClose();
    await navigate({ to: "/connections/$id/chats/$chat", params: { id, chat: `${phone}@c.us` } });
  };
  const form = useForm(async (fields) => {
    const digits = typedPhone(textOf(fields, "phone")) ?? "";
    if (!mayCheck) return open(digits);
    const { data } = await api("GET /connections/{id}/contacts/check", { id, phone: digits });
    setMissing(data.phone === null);
    if (data.phone === null) return;
    return open(data.phone);
  });
  return (
    <FormDialog title={texts.newChat} form={form} submit={texts.open} onClose={onClose}>
      <p className="text-soft">{mayCheck ? texts.newChatText : texts.newChatCloud}</p>
      <TextField
        label={texts.number}
        name="phone"
        type="tel"
        inputMode="tel"
        autoComplete="off"
        required
        data-autofocus
        hint={texts.numberHint}
        {...(missing ? { error: texts.notOnNetwork } : {})}
        onInput={({ currentTarget }) => {
          setMissing(false);
          currentTarget.setCustomValidity(currentTarget.value === "" || typedPhone(currentTarget.value) !== null ? "" : texts.numberWrong);
        }}
      />
    </FormDialog>
  );
}
