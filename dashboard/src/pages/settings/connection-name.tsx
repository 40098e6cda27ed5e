import { useQueryClient } from "@tanstack/react-query";
import { LIMITS } from "@gateway/domain/limits.ts";
import { refresh } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Panel } from "../../ui/panel.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { toast } from "../../ui/toast.tsx";
import { SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Connection } from "./behaviour.tsx";

export function ConnectionName({ connection: { id, name } }: { connection: Pick<Connection, "id" | "name"> }) {
  const texts = useTexts(SETTINGS).name;
  const client = useQueryClient();
  const { ownerOnly } = useRole();
  const form = useForm(async (fields, click) => {
    await api("PATCH /connections/{id}", { id, name: textOf(fields, "name") }, { click });
    await refresh(client, ["GET /connections/{id}", "GET /connections", "GET /connections/{id}/audit"]);
    toast(texts.saved);
  });
  return (
    <Panel title={texts.title}>
      <Form form={form} className="grid gap-4">
        <TextField
          label={texts.label}
          name="name"
          hint={texts.hint}
          defaultValue={name}
          required
          characters={LIMITS.keyNameCharacters}
          autoComplete="off"
          readOnly={ownerOnly !== undefined}
        />
        <FormError refused={form.refused} />
        <Button type="submit" kind="primary" busy={form.busy} why={ownerOnly} className="justify-self-start">
          {texts.save}
        </Button>
      </Form>
    </Panel>
  );
}
