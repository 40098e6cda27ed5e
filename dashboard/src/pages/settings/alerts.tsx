import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { refresh } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { Panel } from "../../ui/panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Connection } from "./behaviour.tsx";

const MINUTES = {
  disconnected: { least: 5, most: 1_440, first: 15 },
  webhook_failing: { least: 15, most: 2_880, first: 60 },
} as const;
type Timed = keyof typeof MINUTES;

export function Alerts({ connection: { id, settings } }: { connection: Pick<Connection, "id" | "settings"> }) {
  const texts = useTexts(SETTINGS).alerts;
  const client = useQueryClient();
  const { alerts } = settings;
  const form = useForm(async (fields, click) => {
    const minutes = (name: Timed) => (fields.has(name) ? Number(textOf(fields, `${name}_minutes`)) : null);
    const change = {
      stopped: fields.has("stopped"),
      restricted: fields.has("restricted"),
      disconnected_minutes: minutes("disconnected"),
      webhook_failing_minutes: minutes("webhook_failing"),
    };
    await api("PATCH /connections/{id}", { id, settings: { alerts: change } }, { click });
    await refresh(client, ["GET /connections/{id}", "GET /connections/{id}/audit"]);
    toast(texts.saved);
  });
  return (
    <Panel title={texts.title} about={texts.about}>
      <Form form={form} className="grid gap-4">
        <Check name="stopped" label={texts.stopped.label} hint={texts.stopped.hint} defaultChecked={alerts.stopped} />
        <TimedAlert name="disconnected" minutes={alerts.disconnected_minutes} />
        <TimedAlert name="webhook_failing" minutes={alerts.webhook_failing_minutes} />
        <Check name="restricted" label={texts.restricted.label} hint={texts.restricted.hint} defaultChecked={alerts.restricted} />
        <p className="text-sm text-soft">{texts.always}</p>
        <FormError refused={form.refused} />
        <Button type="submit" kind="primary" busy={form.busy} className="justify-self-start">
          {texts.save}
        </Button>
      </Form>
    </Panel>
  );
}

function TimedAlert({ name, minutes }: { name: Timed; minutes: number | null }) {
  const texts = useTexts(SETTINGS).alerts;
  const [wanted, setWanted] = useState(minutes !== null);
  const { least, most, first } = MINUTES[name];
  return (
    <div className="grid gap-2">
      <Check name={name} label={texts[name].label} checked={wanted} onChange={({ target }) => setWanted(target.checked)} />
      {wanted && (
        <div className="ml-7 max-w-64">
          <TextField
            label={texts[name].minutes}
            name={`${name}_minutes`}
            type="number"
            min={least}
            max={most}
            required
            defaultValue={minutes ?? first}
            hint={texts.between(least, most)}
          />
        </div>
      )}
    </div>
  );
}
