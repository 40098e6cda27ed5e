// The dialog that opens a chat with a number.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useForm } from "../../ui/forms/field.tsx";
import { phoneIn, PhoneField } from "../../ui/forms/phone-field.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useMissingFeatures } from "./reads.ts";

type NewChatProps = { id: string; onClose: () => void };

/** If possible, first checks that the number is on the network, because messages to unknown numbers hurt the sender's reputation. */
export function NewChat({ id, onClose }: NewChatProps) {
  const texts = useTexts(CHATS);
  const navigate = useNavigate();
  const [missing, setMissing] = useState(false);
  const mayCheck = !useMissingFeatures(id).includes("check");
  const open = async (phone: string) => {
    onClose();
    await navigate({ to: "/connections/$id/chats/$chat", params: { id, chat: `${phone}@c.us` } });
  };
  const form = useForm(async (fields) => {
    const digits = phoneIn(fields, "phone") ?? "";
    if (!mayCheck) return open(digits);
    const { data } = await api("GET /connections/{id}/contacts/check", { id, phone: digits });
    setMissing(data.phone === null);
    if (data.phone === null) return;
    return open(data.phone);
  });
  return (
    <FormDialog title={texts.newChat} form={form} submit={texts.open} onClose={onClose}>
      <p className="text-soft">{mayCheck ? texts.newChatText : texts.newChatCloud}</p>
      <PhoneField
        label={texts.number}
        name="phone"
        autoComplete="off"
        data-autofocus
        {...(missing ? { error: texts.notOnNetwork } : {})}
        onNumber={() => setMissing(false)}
      />
    </FormDialog>
  );
}
