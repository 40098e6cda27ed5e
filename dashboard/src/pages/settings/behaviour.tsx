import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { refresh } from "../../api/cache.ts";
import { type ResponseBody, api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Form, Select, TextArea, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { Panel } from "../../ui/panel.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { toast } from "../../ui/toast.tsx";
import { SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

export type Connection = ResponseBody<"GET /connections/{id}">["data"];

const TICKS = {
  presence: ["always_online", "mark_read_on_receive"],
  left_out: ["ignore_groups", "ignore_channels", "ignore_status"],
} as const;
const SYNCS = ["none", "recent", "full"] as const;
const FIRST_CONTACTS = ["send", "hold", "refuse"] as const;

export function Behaviour({ connection: { id, settings, lacks } }: { connection: Pick<Connection, "id" | "settings" | "lacks"> }) {
  const texts = useTexts(SETTINGS).behaviour;
  const client = useQueryClient();
  const { ownerOnly } = useRole();
  const form = useForm(async (fields, idempotencyKey) => {
    await api("PATCH /connections/{id}", { id, settings: changeIn(fields, lacks) }, { idempotencyKey });
    await refresh(client, ["GET /connections/{id}", "GET /connections/{id}/audit"]);
    toast(texts.saved);
  });
  const [isRejecting, setRejecting] = useState(settings.reject_calls);
  const isReadOnly = ownerOnly !== undefined;
  const has = (name: string) => !lacks.some((feature) => feature === name);
  const tick = (name: (typeof TICKS)[keyof typeof TICKS][number] | "download_media") => (
    <Check key={name} name={name} label={texts[name]} defaultChecked={settings[name]} disabled={isReadOnly} />
  );
  const number = (name: "media_retention_days" | "message_retention_days", most: number, hint?: string) => (
    <TextField
      label={texts[name]}
      name={name}
      type="number"
      min={1}
      max={most}
      defaultValue={settings[name] ?? ""}
      readOnly={isReadOnly}
      {...(hint === undefined ? { required: true } : { hint })}
    />
  );
  return (
    <Panel title={texts.title}>
      <Form form={form} className="grid gap-6">
        <div className="grid items-start gap-6 md:grid-cols-2">
          <Group title={texts.calls}>
            <Check
              name="reject_calls"
              label={texts.reject_calls}
              defaultChecked={settings.reject_calls}
              disabled={isReadOnly}
              onChange={({ currentTarget }) => setRejecting(currentTarget.checked)}
            />
            {/* Stays in the form while hidden, so that its text is kept. */}
            <div className={isRejecting ? "" : "hidden"}>
              <TextArea
                label={texts.reject_call_message}
                name="reject_call_message"
                hint={texts.reject_call_messageHint}
                defaultValue={settings.reject_call_message ?? ""}
                characters={1_024}
                rows={2}
                readOnly={isReadOnly}
              />
            </div>
          </Group>
          <Group title={texts.sending}>
            <TextField
              label={texts.min_gap}
              name="min_gap"
              type="number"
              min={0}
              max={60}
              step={0.001}
              required
              defaultValue={settings.pacing.min_gap_ms / 1_000}
              readOnly={isReadOnly}
            />
            <TextField
              label={texts.new_chats_per_hour}
              name="new_chats_per_hour"
              type="number"
              min={0}
              max={1_000}
              hint={texts.new_chats_per_hourHint}
              defaultValue={settings.pacing.new_chats_per_hour ?? ""}
              readOnly={isReadOnly}
            />
            <Check name="reply_only" label={texts.reply_only} defaultChecked={settings.pacing.reply_only} disabled={isReadOnly} />
            <Select
              label={texts.first_contacts}
              name="first_contacts"
              options={FIRST_CONTACTS.map((value) => ({ value, label: texts.firstContacts[value] }))}
              defaultValue={settings.pacing.first_contacts}
              disabled={isReadOnly}
            />
          </Group>
          <Group title={texts.presence}>{TICKS.presence.filter(has).map(tick)}</Group>
          <Group title={texts.left_out}>{TICKS.left_out.filter(has).map(tick)}</Group>
          <Group title={texts.keeping}>
            {tick("download_media")}
            {number("media_retention_days", 30)}
            {number("message_retention_days", 3_650, texts.message_retention_daysHint)}
          </Group>
          {has("device_name") && (
            <Group title={texts.device}>
              <TextField
                label={texts.device_name}
                name="device_name"
                hint={texts.device_nameHint}
                required
                maxLength={40}
                defaultValue={settings.device_name}
                readOnly={isReadOnly}
              />
              <Select
                label={texts.sync_history}
                name="sync_history"
                options={SYNCS.map((value) => ({ value, label: texts.syncs[value] }))}
                defaultValue={settings.sync_history}
                disabled={isReadOnly}
              />
            </Group>
          )}
        </div>
        <FormError refused={form.refused} />
        <Button type="submit" kind="primary" busy={form.busy} why={ownerOnly} className="justify-self-start">
          {texts.save}
        </Button>
      </Form>
    </Panel>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-2 text-lg font-semibold">{title}</legend>
      {children}
    </fieldset>
  );
}

/** Omits settings that this kind of connection does not have. */
function changeIn(fields: FormData, lacks: Connection["lacks"]) {
  const change = everythingIn(fields);
  const kept = Object.entries(change).filter(([name]) => !lacks.some((feature) => feature === name));
  return Object.fromEntries(kept) as Partial<typeof change>;
}

function everythingIn(fields: FormData) {
  const ticked = (name: string) => fields.has(name);
  const number = (name: string) => (textOf(fields, name) === "" ? null : Number(textOf(fields, name)));
  const message = textOf(fields, "reject_call_message").trim();
  return {
    reject_calls: ticked("reject_calls"),
    reject_call_message: message === "" ? null : message,
    always_online: ticked("always_online"),
    mark_read_on_receive: ticked("mark_read_on_receive"),
    ignore_groups: ticked("ignore_groups"),
    ignore_channels: ticked("ignore_channels"),
    ignore_status: ticked("ignore_status"),
    download_media: ticked("download_media"),
    media_retention_days: number("media_retention_days") ?? 7,
    message_retention_days: number("message_retention_days"),
    sync_history: textOf(fields, "sync_history") as (typeof SYNCS)[number],
    device_name: textOf(fields, "device_name").trim(),
    pacing: {
      min_gap_ms: Math.round((number("min_gap") ?? 0) * 1_000),
      new_chats_per_hour: number("new_chats_per_hour"),
      reply_only: ticked("reply_only"),
      first_contacts: textOf(fields, "first_contacts") as (typeof FIRST_CONTACTS)[number],
    },
  };
}
