// A change by an administrator, with a reason for the audit log.
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode } from "react";
import { refresh } from "../../api/cache.ts";
import type { JsonRoute } from "../../api/client.ts";
import { textOf, TextArea, useForm } from "../../ui/forms/field.tsx";
import { toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { ADMIN } from "../../texts/catalogs.ts";

const REASON_CHARACTERS = 500;

type ActionDialogProps = {
  title: string;
  action: string;
  /** The confirmation that is shown instead of the general one. */
  done?: string;
  danger?: boolean;
  onClose: () => void;
  onConfirm: (given: { reason: string; fields: FormData; idempotencyKey: string }) => Promise<unknown>;
  stale: readonly JsonRoute[];
  children?: ReactNode;
};

export function ActionDialog({ title, action, done, danger = false, onClose, onConfirm, stale, children }: ActionDialogProps) {
  const texts = useTexts(ADMIN);
  const client = useQueryClient();
  const form = useForm(async (fields, idempotencyKey) => {
    await onConfirm({ reason: textOf(fields, "reason"), fields, idempotencyKey });
    void refresh(client, [...stale, "GET /admin/audit"]);
    toast(done ?? texts.did(action, title));
    onClose();
  });
  return (
    <FormDialog title={title} form={form} submit={action} kind={danger ? "danger" : "primary"} onClose={onClose}>
      {children}
      <TextArea label={texts.reason} name="reason" hint={texts.reasonHint} characters={REASON_CHARACTERS} required rows={2} />
    </FormDialog>
  );
}
