import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changePassword } from "../../api/auth.ts";
import { refresh } from "../../api/cache.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { toast } from "../../ui/toast.tsx";
import { ACCOUNT } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

const LENGTHS = { least: 10, most: 128 };

export function Password({ email }: { email: string }) {
  const texts = useTexts(ACCOUNT).password;
  const client = useQueryClient();
  const [wrong, setWrong] = useState(false);
  const [changed, setChanged] = useState(0);
  const form = useForm(async (fields) => {
    const right = await changePassword(textOf(fields, "currentPassword"), textOf(fields, "newPassword"));
    setWrong(!right);
    if (!right) return;
    setChanged((before) => before + 1);
    await refresh(client, ["GET /sessions"]);
    toast(texts.saved);
  });
  return (
    <Form key={changed} form={form} className="grid gap-4" method="post">
      {/* Tells password managers whose password it is. */}
      <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label={texts.current}
        name="currentPassword"
        type="password"
        autoComplete="current-password"
        required
        maxLength={LENGTHS.most}
        error={wrong ? texts.wrong : undefined}
      />
      <TextField
        label={texts.next}
        name="newPassword"
        type="password"
        autoComplete="new-password"
        required
        minLength={LENGTHS.least}
        maxLength={LENGTHS.most}
        hint={texts.hint}
      />
      <FormError refused={form.refused} />
      <Button type="submit" busy={form.busy} className="justify-self-start">
        {texts.save}
      </Button>
    </Form>
  );
}
