import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { refresh } from "../../api/cache.ts";
import { Select, TextField, useForm } from "../../ui/forms/field.tsx";
import { toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { DELIVERIES } from "../../texts/catalogs.ts";
import { serverNow } from "../../api/server-time.ts";

const HOUR_MS = 3_600_000;
const BACK_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;
type Choice = keyof typeof BACK_MS | "exact";

export function ResendFailed({ id, onClose }: { id: string; onClose: () => void }) {
  const texts = useTexts(DELIVERIES).resendFailed;
  const client = useQueryClient();
  const [choice, setChoice] = useState<Choice>("day");
  const form = useForm(async (fields, click) => {
    const back = choice === "exact" ? null : BACK_MS[choice];
    const since = new Date(back === null ? (fields.get("exact_time") as string) : serverNow() - back);
    const { data } = await api("POST /connections/{id}/webhook/resend", { id, since: since.toISOString() }, { click });
    await refresh(client, ["GET /connections/{id}/webhook/deliveries"]);
    toast(texts.done(data.count));
    onClose();
  });
  return (
    <FormDialog title={texts.title} form={form} submit={texts.submit} onClose={onClose} about={<p>{texts.text}</p>}>
      <Select
        label={texts.since}
        name="since"
        value={choice}
        onChange={({ target }) => setChoice(target.value as Choice)}
        options={(["hour", "day", "week", "exact"] as const).map((value) => ({ value, label: texts.choices[value] }))}
      />
      {choice === "exact" && (
        <TextField label={texts.exactTime} name="exact_time" type="datetime-local" hint={texts.exactTimeHint} required />
      )}
    </FormDialog>
  );
}
