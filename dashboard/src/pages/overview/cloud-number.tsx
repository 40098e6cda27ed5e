// A number of the Cloud API: what Meta knows it by, what its state means, and new credentials.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { KeyRound } from "lucide-react";
import { refresh } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code/copy.tsx";
import { textOf, useForm } from "../../ui/forms/field.tsx";
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { Panel } from "../../ui/panel.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { toast } from "../../ui/toast.tsx";
import { CLOUD, KIT, OVERVIEW, REASONS } from "../../words/areas.ts";
import { useWords } from "../../words/words.ts";
import { CloudFields, credentialsIn } from "../connections/cloud-fields.tsx";
import { Fact, type Whole } from "./facts.tsx";

type Number = NonNullable<Whole["cloud_api"]>;

/** What happened, and what to do: reasons that speak of phones have words of their own. */
export function CloudState({ status, reason }: { status: Whole["status"]; reason: string | null }) {
  const kit = useWords(KIT);
  const words = useWords(OVERVIEW);
  const known: Readonly<Record<string, { happened: string; next: string }>> = { ...useWords(REASONS), ...useWords(CLOUD).reasons };
  if (status === null) return <p className="text-soft">{kit.unknownText}</p>;
  const text = reason === null || !Object.hasOwn(known, reason) ? undefined : known[reason];
  if (text === undefined) return null;
  return (
    <>
      <p className="max-w-prose text-soft">{text.happened}</p>
      {reason !== "ok" && (
        <p className="max-w-prose">
          <span className="font-semibold">{words.next}: </span>
          {text.next}
        </p>
      )}
    </>
  );
}

export function CloudNumber({ connection: { id, name }, number }: { connection: Whole; number: Number }) {
  const words = useWords(CLOUD);
  const { ownerOnly } = useRole();
  const [open, setOpen] = useState(false);
  return (
    <Panel title={words.title}>
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        <Fact name={words.number}>
          <code className="break-all">{number.phone_number_id}</code>
          <CopyButton value={number.phone_number_id} label={words.copyNumber} iconOnly />
        </Fact>
        <Fact name={words.waba}>
          <code className="break-all">{number.waba_id}</code>
          <CopyButton value={number.waba_id} label={words.copyWaba} iconOnly />
        </Fact>
        <Fact name={words.token} wide>
          {words.tokenEnd(number.access_token_last4)}
        </Fact>
      </dl>
      <Button icon={KeyRound} why={ownerOnly} onClick={() => setOpen(true)} className="justify-self-start">
        {words.change}
      </Button>
      {open && <NewToken id={id} name={name} number={number} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function NewToken({ id, name, number, onClose }: { id: number; name: string; number: Number; onClose: () => void }) {
  const words = useWords(CLOUD);
  const client = useQueryClient();
  const form = useForm(async (fields, click) => {
    const cloud_api = credentialsIn((field) => textOf(fields, field));
    await api("PATCH /connections/{id}", { id, cloud_api }, { click });
    onClose();
    toast(words.changed);
    await refresh(client, ["GET /connections/{id}", "GET /connections/{id}/audit", "GET /connections"]);
  });
  return (
    <FormDialog
      title={words.changeTitle(name)}
      form={form}
      submit={words.save}
      onClose={onClose}
      about={<p className="max-w-prose text-soft">{words.changeText}</p>}
    >
      <CloudFields refused={form.refused} number={number} />
    </FormDialog>
  );
}
