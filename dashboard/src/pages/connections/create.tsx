// Creates a connection. A phone continues to the pairing page, with pairing already started.
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { LIMITS } from "@gateway/domain/limits.ts";
import { refresh } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { Select, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { CONNECTIONS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const CloudFields = lazyPart(() => import("./cloud-fields.tsx").then(({ CloudFields: component }) => component));
const KINDS = ["session", "cloud_api"] as const;

export function CreateDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return open ? <Create onClose={onClose} /> : null;
}

function Create({ onClose }: { onClose: () => void }) {
  const texts = useTexts(CONNECTIONS).dialog;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [kind, setKind] = useState<(typeof KINDS)[number]>("session");
  const form = useForm(async (fields, idempotencyKey) => {
    const name = textOf(fields, "name");
    const asked = kind === "session" ? { name } : { name, kind, cloud_api: await cloudCredentials(fields) };
    const made = await api("POST /connections", asked, { idempotencyKey });
    const { id } = made.data;
    // Errors are ignored, because the pairing page shows them and offers a retry.
    if (kind === "session") {
      await api("POST /connections/{id}/connect", { id, force_new_pairing: false }, { idempotencyKey: `${idempotencyKey}-connect` }).catch(
        () => undefined,
      );
    }
    void refresh(client, ["GET /connections"]);
    const to = kind === "session" ? "/connections/$id/pair" : "/connections/$id";
    await navigate({ to, params: { id: String(id) } });
  });
  return (
    <FormDialog title={texts.title} form={form} submit={kind === "session" ? texts.submit : texts.submitCloud} onClose={onClose}>
      <TextField
        label={texts.name}
        name="name"
        hint={texts.hint}
        characters={LIMITS.keyNameCharacters}
        required
        autoComplete="off"
        data-autofocus
      />
      <Select
        label={texts.kind}
        name="kind"
        hint={texts.kindHints[kind]}
        options={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
        value={kind}
        onChange={({ currentTarget: { value } }) => setKind(value === "cloud_api" ? "cloud_api" : "session")}
      />
      {kind === "cloud_api" && (
        <Suspense>
          <CloudFields refused={form.refused} />
        </Suspense>
      )}
    </FormDialog>
  );
}

async function cloudCredentials(fields: FormData) {
  const { credentialsIn } = await import("./cloud-fields.tsx");
  return credentialsIn((name) => textOf(fields, name));
}
