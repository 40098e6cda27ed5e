// People with access to the connection. Until an invitation is opened, nothing reveals whether its email address has an account.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { refresh, useChange } from "../../api/cache.ts";
import { type ResponseBody, api, reading } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { Form, Select, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { UI, SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Connection } from "./behaviour.tsx";

type Share = ResponseBody<"GET /connections/{id}/shares">["data"][number];
type SharedRole = Share["role"];

const STALE = ["GET /connections/{id}/shares", "GET /connections/{id}/audit"] as const;

export function People({ connection: { id } }: { connection: Pick<Connection, "id"> }) {
  const texts = useTexts(SETTINGS).people;
  const shares = useQuery(reading("GET /connections/{id}/shares", { id }));
  return (
    <Panel title={texts.title} about={texts.about} flush>
      <Query result={shares}>
        {({ data }) => (
          <>
            {data.length === 0 ? <Empty title={texts.none} text={texts.noneText} /> : <PeopleRows id={id} shares={data} />}
            <Invite id={id} />
          </>
        )}
      </Query>
    </Panel>
  );
}

function Invite({ id }: { id: number }) {
  const texts = useTexts(SETTINGS).people;
  const client = useQueryClient();
  const [sent, setSent] = useState(0);
  const form = useForm(async (fields, idempotencyKey) => {
    const email = textOf(fields, "email").trim();
    const { data } = await api(
      "POST /connections/{id}/shares",
      { id, email, role: textOf(fields, "role") as SharedRole },
      { idempotencyKey },
    );
    await refresh(client, STALE);
    setSent((before) => before + 1);
    toast(texts.invited[data.invitation ?? "again"](email), { kind: data.invitation === "not_sent" ? "bad" : "done" });
  });
  const roles = (["operator", "viewer"] as const).map((value) => ({ value, label: texts.roles[value] }));
  return (
    <Form key={sent} form={form} className="grid gap-4 border-t border-line p-4">
      <TextField
        label={texts.email}
        name="email"
        type="email"
        hint={texts.emailHint}
        required
        maxLength={254}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Select label={texts.role} name="role" options={roles} defaultValue="viewer" />
      <div className="grid justify-items-start gap-2">
        <FormError refused={form.refused} />
        <Button type="submit" icon={UserPlus} busy={form.busy}>
          {texts.invite}
        </Button>
      </div>
    </Form>
  );
}

function PeopleRows({ id, shares }: { id: number; shares: readonly Share[] }) {
  const texts = useTexts(SETTINGS).people;
  const ui = useTexts(UI);
  const change = useChange("PATCH /connections/{id}/shares/{share_id}", STALE);
  const remove = useChange("DELETE /connections/{id}/shares/{share_id}", STALE);
  const [removing, setRemoving] = useState<Share | null>(null);
  const columns: readonly Column<Share>[] = [
    { id: "email", header: texts.email, cell: ({ email }) => <span className="font-semibold break-all">{email}</span> },
    {
      id: "role",
      header: texts.role,
      cell: (share) => (
        <select
          aria-label={texts.roleOf(share.email)}
          value={share.role}
          disabled={change.isPending}
          onChange={({ target }) =>
            change.mutate({ id, share_id: share.id, role: target.value as SharedRole }, { onSuccess: () => toast(texts.roleSaved) })
          }
          className="min-h-11 rounded-md border border-edge bg-surface px-2 pointer-fine:min-h-8"
        >
          <option value="operator">{ui.roles.operator}</option>
          <option value="viewer">{ui.roles.viewer}</option>
        </select>
      ),
    },
    {
      id: "state",
      header: texts.state,
      cell: ({ opened_at: opened }) =>
        opened === null ? <Badge tone="attention">{texts.waiting}</Badge> : <Badge tone="good">{texts.opened}</Badge>,
    },
    { id: "since", header: texts.since, wideOnly: true, cell: ({ created_at: at }) => <When time={at} /> },
    {
      id: "remove",
      header: texts.actions,
      headerHidden: true,
      cell: (share) => (
        <Button kind="danger" aria-label={texts.removeOf(share.email)} onClick={() => setRemoving(share)}>
          {texts.remove}
        </Button>
      ),
    },
  ];
  return (
    <>
      <Rows caption={texts.title} columns={columns} rows={shares} keyOf={(share) => share.id} />
      <div className="px-4">
        <FormError refused={change.error} />
      </div>
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={texts.removeTitle(removing?.email ?? "")}
        lost={<p>{texts.removeText}</p>}
        action={texts.remove}
        onConfirm={async () => {
          await remove.mutateAsync({ id, share_id: removing?.id ?? "" });
          toast(texts.removed);
        }}
      />
    </>
  );
}
