import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { KeyRound } from "lucide-react";
import { refresh } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code/copy.tsx";
import { Fact } from "../../ui/facts.tsx";
import { textOf, useForm } from "../../ui/forms/field.tsx";
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { Panel } from "../../ui/panel.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { toast } from "../../ui/toast.tsx";
import { CLOUD, UI, OVERVIEW, REASONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { CloudFields, credentialsIn } from "../connections/cloud-fields.tsx";
import type { Connection } from "./facts.tsx";

type Number = NonNullable<Connection["cloud_api"]>;

/** Some reasons have different texts for Cloud API numbers, because the usual texts mention phones. */
export function CloudState({ status, reason }: { status: Connection["status"]; reason: string | null }) {
  const ui = useTexts(UI);
  const texts = useTexts(OVERVIEW);
  const known: Readonly<Record<string, { happened: string; next: string }>> = { ...useTexts(REASONS), ...useTexts(CLOUD).reasons };
  // Indented like the text beside the status icon.
  const beside = "-mt-3 max-w-prose pl-[1.125rem] text-lg text-soft";
  if (status === null) return <p className={beside}>{ui.unknownText}</p>;
  const text = reason === null || !Object.hasOwn(known, reason) ? undefined : known[reason];
  if (text === undefined) return null;
  return (
    <>
      <p className={beside}>{text.happened}</p>
      {reason !== "ok" && (
        <p className="max-w-prose">
          <span className="font-semibold">{texts.next}: </span>
          {text.next}
        </p>
      )}
    </>
  );
}

export function CloudNumber({ connection: { id, name }, number }: { connection: Connection; number: Number }) {
  const texts = useTexts(CLOUD);
  const { ownerOnly } = useRole();
  const [open, setOpen] = useState(false);
  return (
    <Panel title={texts.title}>
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        <Fact name={texts.number}>
          <code className="break-all">{number.phone_number_id}</code>
          <CopyButton value={number.phone_number_id} label={texts.copyNumber} iconOnly />
        </Fact>
        <Fact name={texts.waba}>
          <code className="break-all">{number.waba_id}</code>
          <CopyButton value={number.waba_id} label={texts.copyWaba} iconOnly />
        </Fact>
        <Fact name={texts.token} wide>
          {texts.tokenEnd(number.access_token_last4)}
        </Fact>
      </dl>
      <Button icon={KeyRound} why={ownerOnly} onClick={() => setOpen(true)} className="justify-self-start">
        {texts.change}
      </Button>
      {open && <NewToken id={id} name={name} number={number} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function NewToken({ id, name, number, onClose }: { id: number; name: string; number: Number; onClose: () => void }) {
  const texts = useTexts(CLOUD);
  const client = useQueryClient();
  const form = useForm(async (fields, idempotencyKey) => {
    const cloud_api = credentialsIn((field) => textOf(fields, field));
    await api("PATCH /connections/{id}", { id, cloud_api }, { idempotencyKey });
    onClose();
    toast(texts.changed);
    await refresh(client, ["GET /connections/{id}", "GET /connections/{id}/audit", "GET /connections"]);
  });
  return (
    <FormDialog
      title={texts.changeTitle(name)}
      form={form}
      submit={texts.save}
      onClose={onClose}
      about={<p className="max-w-prose text-soft">{texts.changeText}</p>}
    >
      <CloudFields refused={form.refused} number={number} />
    </FormDialog>
  );
}
