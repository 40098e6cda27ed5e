// A new connection: its name, and on to pairing, which has begun by then.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId } from "react";
import { LIMITS } from "../../../../src/domain/limits.ts";
import { refresh } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { KIT } from "../../words/areas.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { fieldText, Form, FormError, TextField, useForm } from "../../ui/forms/field.tsx";
import { useWords } from "../../words/words.ts";
import { CONNECTIONS } from "../../words/areas.ts";

export function CreateDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return open ? <Create onClose={onClose} /> : null;
}

function Create({ onClose }: { onClose: () => void }) {
  const words = useWords(CONNECTIONS).dialog;
  const kit = useWords(KIT);
  const client = useQueryClient();
  const navigate = useNavigate();
  const formId = useId();
  const form = useForm(async (fields, click) => {
    const made = await api("POST /connections", { name: fieldText(fields, "name") }, { click });
    const { id } = made.data;
    // Pairing shows by itself why this was refused, and asks again.
    await api("POST /connections/{id}/connect", { id, force_new_pairing: false }, { click: `${click}-connect` }).catch(() => undefined);
    void refresh(client, ["GET /connections"]);
    await navigate({ to: "/connections/$id/pair", params: { id: String(id) } });
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.title}
      actions={
        <>
          <Button onClick={onClose}>{kit.cancel}</Button>
          <Button type="submit" form={formId} kind="primary" busy={form.busy}>
            {words.submit}
          </Button>
        </>
      }
    >
      <Form form={form} id={formId} className="grid gap-4">
        <TextField
          label={words.name}
          name="name"
          hint={words.hint}
          characters={LIMITS.keyNameCharacters}
          required
          autoComplete="off"
          data-autofocus
        />
        <FormError refused={form.refused} />
      </Form>
    </Dialog>
  );
}
