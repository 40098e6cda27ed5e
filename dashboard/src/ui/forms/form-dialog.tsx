import { type ReactNode, useId } from "react";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { Form, type FormState, TextField, useForm } from "./field.tsx";
import { FormError } from "./form-error.tsx";

type FormDialogProps = {
  title: ReactNode;
  form: FormState;
  submit: string;
  kind?: "primary" | "danger";
  onClose: () => void;
  about?: ReactNode;
  foot?: ReactNode;
  keepsTyped?: boolean;
  children: ReactNode;
};

export function FormDialog({ title, form, submit, kind = "primary", onClose, about, foot, keepsTyped = true, children }: FormDialogProps) {
  const texts = useTexts(UI);
  const id = useId();
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button type="submit" form={id} kind={kind} busy={form.busy}>
            {submit}
          </Button>
        </>
      }
    >
      {about}
      <Form form={form} id={id} keepsTyped={keepsTyped} className="grid gap-4">
        {children}
        <FormError refused={form.refused} />
      </Form>
      {foot}
    </Dialog>
  );
}

type ConfirmProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  lost: ReactNode;
  typed?: string;
  action: string;
  onConfirm: () => Promise<unknown>;
};

export function ConfirmDialog(props: ConfirmProps) {
  return props.open ? <Confirm {...props} /> : null;
}

function Confirm({ onClose, title, lost, typed, action, onConfirm }: ConfirmProps) {
  const texts = useTexts(UI);
  const form = useForm(async () => {
    await onConfirm();
    onClose();
  });
  return (
    <FormDialog title={title} form={form} submit={action} kind="danger" onClose={onClose} keepsTyped={false}>
      <div className="grid gap-2">{lost}</div>
      {typed !== undefined && (
        <TextField
          label={texts.typed(typed)}
          name="typed"
          autoComplete="off"
          required
          data-autofocus
          onInput={({ currentTarget }) =>
            currentTarget.setCustomValidity(asShown(currentTarget.value) === asShown(typed) ? "" : texts.notTheName(typed))
          }
        />
      )}
    </FormDialog>
  );
}

/** Compares texts as displayed, where multiple spaces collapse and accents may be encoded in two ways. */
function asShown(name: string): string {
  return name.normalize("NFC").replaceAll(/\s+/g, " ").trim();
}
