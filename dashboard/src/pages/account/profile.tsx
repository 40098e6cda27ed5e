import { useQueryClient } from "@tanstack/react-query";
import { LIMITS } from "@gateway/domain/limits.ts";
import { refresh } from "../../api/cache.ts";
import { type ResponseBody, api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { toast } from "../../ui/toast.tsx";
import { ACCOUNT } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

export type Me = ResponseBody<"GET /me">["data"];

export function Profile({ me }: { me: Me }) {
  const texts = useTexts(ACCOUNT).profile;
  const client = useQueryClient();
  const form = useForm(async (fields, idempotencyKey) => {
    await api("PATCH /me", { name: textOf(fields, "name") }, { idempotencyKey });
    await refresh(client, ["GET /me", "GET /session"]);
    toast(texts.saved);
  });
  return (
    <Form form={form} className="grid gap-4">
      <TextField label={texts.name} name="name" defaultValue={me.name} autoComplete="name" required characters={LIMITS.keyNameCharacters} />
      <TextField label={texts.email} name="email" type="email" value={me.email} autoComplete="email" readOnly />
      <FormError refused={form.refused} />
      <Button type="submit" busy={form.busy} className="justify-self-start">
        {texts.save}
      </Button>
    </Form>
  );
}
