// A change by an administrator, with a reason for the audit log.
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode } from "react";
import { refresh } from "../../api/cache.ts";
import type { JsonRoute } from "../../api/client.ts";
import { fieldText, TextArea, useForm } from "../../ui/forms/field.tsx";
import { toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { ADMIN } from "../../texts/catalogs.ts";

const REASON_CHARACTERS = 500;

type ActProps = {
  title: string;
  action: string;
  danger?: boolean;
  onClose: () => void;
  onAct: (given: { reason: string; fields: FormData; click: string }) => Promise<unknown>;
  stale: readonly JsonRoute[];
  children?: ReactNode;
};

export function ActDialog({ title, action, danger = false, onClose, onAct, stale, children }: ActProps) {
  const texts = useTexts(ADMIN);
  const client = useQueryClient();
  const form = useForm(async (fields, click) => {
    await onAct({ reason: fieldText(fields, "reason"), fields, click });
    void refresh(client, [...stale, "GET /admin/audit"]);
    toast(texts.did(action, title));
    onClose();
  });
  return (
    <FormDialog title={title} form={form} submit={action} kind={danger ? "danger" : "primary"} onClose={onClose}>
      {children}
      <TextArea label={texts.reason} name="reason" hint={texts.reasonHint} characters={REASON_CHARACTERS} required rows={2} />
    </FormDialog>
  );
}

export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-x-6 gap-y-3">
      {facts.map(([name, value]) => (
        <div key={name} className="flex min-w-0 flex-col-reverse">
          <dt className="text-sm text-soft">{name}</dt>
          <dd className="min-w-0 font-semibold break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
