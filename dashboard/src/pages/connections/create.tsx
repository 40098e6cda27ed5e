// A new connection: its name, and on to pairing, which has begun by then.
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { LIMITS } from "../../../../src/domain/limits.ts";
import { refresh } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { fieldText, TextField, useForm } from "../../ui/forms/field.tsx";
import { useWords } from "../../words/words.ts";
import { CONNECTIONS } from "../../words/areas.ts";

export function CreateDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return open ? <Create onClose={onClose} /> : null;
}

function Create({ onClose }: { onClose: () => void }) {
  const words = useWords(CONNECTIONS).dialog;
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm(async (fields, click) => {
    const made = await api("POST /connections", { name: fieldText(fields, "name") }, { click });
    const { id } = made.data;
    // Pairing shows by itself why this was refused, and asks again.
    await api("POST /connections/{id}/connect", { id, force_new_pairing: false }, { click: `${click}-connect` }).catch(() => undefined);
    void refresh(client, ["GET /connections"]);
    await navigate({ to: "/connections/$id/pair", params: { id: String(id) } });
  });
  return (
    <FormDialog title={words.title} form={form} submit={words.submit} onClose={onClose}>
      <TextField
        label={words.name}
        name="name"
        hint={words.hint}
        characters={LIMITS.keyNameCharacters}
        required
        autoComplete="off"
        data-autofocus
      />
    </FormDialog>
  );
}
