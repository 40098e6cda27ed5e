import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ResponseBody, api, reading } from "../../api/client.ts";
import { PageTitle } from "../../ui/heading.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Behaviour, type Connection } from "./behaviour.tsx";
import { Notifications } from "./notifications.tsx";
import { People } from "./people.tsx";
import { Paged } from "../../ui/pager.tsx";
import { Panel } from "../../ui/panel.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { LIMITS } from "@gateway/domain/limits.ts";
import { refresh, useLeaving } from "../../api/cache.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { LeaveGuard } from "../../ui/forms/leave-guard.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { toast } from "../../ui/toast.tsx";
import { useState } from "react";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { Check } from "../../ui/forms/tick.tsx";

export function Settings() {
  const texts = useTexts(SETTINGS);
  const { id } = useParams({ from: "/in/connections/$id/settings" });
  const connection = useQuery(reading("GET /connections/{id}", { id }));
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <LeaveGuard />
      <Query result={connection}>
        {({ data }) =>
          data.role === "owner" ? (
            <div className="grid gap-4">
              <div className="grid items-start gap-4 min-[1100px]:grid-cols-2">
                <div className="grid gap-4">
                  <ConnectionName key={data.id} connection={data} />
                  <People connection={data} />
                </div>
                <div className="grid gap-4">
                  <Notifications id={data.id} />
                  <Alerts key={`alerts ${JSON.stringify(data.settings.alerts)}`} connection={data} />
                </div>
              </div>
              {/* The key does not contain the alerts, because saving them must not reset this form. */}
              <Behaviour key={JSON.stringify({ ...data.settings, alerts: null })} connection={data} />
              <AuditLog connection={data} />
              <RemoveConnection connection={data} />
            </div>
          ) : (
            <div className="grid gap-4">
              <Guest connection={data} role={data.role} />
              <Notifications id={data.id} />
              <ConnectionName connection={data} />
              <Behaviour connection={data} />
            </div>
          )
        }
      </Query>
    </>
  );
}

type Entry = ResponseBody<"GET /connections/{id}/audit">["data"][number];

export function AuditLog({ connection: { id } }: { connection: Pick<Connection, "id"> }) {
  const texts = useTexts(SETTINGS).audit;
  const entries = useInfiniteQuery({
    queryKey: ["GET /connections/{id}/audit", { id }],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api("GET /connections/{id}/audit", { id, ...(pageParam === undefined ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const whoOf = ({ by }: Entry): string => {
    if (by.kind === "user") return by.email ?? texts.gone;
    if (by.kind === "gateway") return texts.gateway;
    if (by.kind === "pairing_link") return texts.link(by.key ?? "");
    if (by.key === null) return texts.unnamedKey;
    return by.kind === "account_key" ? texts.accountKey(by.key) : texts.key(by.key);
  };
  const columns: readonly Column<Entry>[] = [
    { id: "what", header: texts.what, cell: ({ act, subject }) => <span className="break-words">{texts.act[act](subject ?? "")}</span> },
    { id: "who", header: texts.who, cell: (act) => <span className="break-all">{whoOf(act)}</span> },
    { id: "when", header: texts.when, cell: ({ at }) => <When time={at} /> },
  ];
  return (
    <Panel title={texts.title} about={texts.about} flush>
      <Paged result={entries} empty={<Empty title={texts.none} />}>
        {(rows) => <Rows caption={texts.title} columns={columns} rows={rows} keyOf={(act) => act.id} />}
      </Paged>
    </Panel>
  );
}

export function ConnectionName({ connection: { id, name } }: { connection: Pick<Connection, "id" | "name"> }) {
  const texts = useTexts(SETTINGS).name;
  const client = useQueryClient();
  const { ownerOnly } = useRole();
  const form = useForm(async (fields, idempotencyKey) => {
    await api("PATCH /connections/{id}", { id, name: textOf(fields, "name") }, { idempotencyKey });
    await refresh(client, ["GET /connections/{id}", "GET /connections", "GET /connections/{id}/audit"]);
    toast(texts.saved);
  });
  return (
    <Panel title={texts.title}>
      <Form form={form} className="grid gap-4">
        <TextField
          label={texts.label}
          name="name"
          hint={texts.hint}
          defaultValue={name}
          required
          characters={LIMITS.keyNameCharacters}
          autoComplete="off"
          readOnly={ownerOnly !== undefined}
        />
        <FormError refused={form.refused} />
        <Button type="submit" busy={form.busy} why={ownerOnly} className="justify-self-start">
          {texts.save}
        </Button>
      </Form>
    </Panel>
  );
}

export function Guest({ connection: { id }, role }: { connection: Pick<Connection, "id">; role: "operator" | "viewer" }) {
  const texts = useTexts(SETTINGS).people;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const leaving = useLeaving(async () => {
    await api("DELETE /connections/{id}/shares/mine", { id });
    await navigate({ to: "/connections" });
    await refresh(client, ["GET /connections"]);
    toast(texts.left);
  });
  return (
    <Panel title={texts.guest}>
      <p>{texts.guestAs[role]}</p>
      <p className="text-soft">{texts.guestKeys}</p>
      <Button kind="danger" className="justify-self-start" onClick={() => setAsked(true)}>
        {texts.leave}
      </Button>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        title={texts.leaveTitle}
        lost={<p>{texts.leaveText}</p>}
        action={texts.leave}
        onConfirm={() => leaving.mutateAsync()}
      />
    </Panel>
  );
}

const MINUTES = {
  disconnected: { least: 5, most: 1_440, first: 15 },
  webhook_failing: { least: 15, most: 2_880, first: 60 },
} as const;
type Timed = keyof typeof MINUTES;

function Alerts({ connection: { id, settings } }: { connection: Pick<Connection, "id" | "settings"> }) {
  const texts = useTexts(SETTINGS).alerts;
  const client = useQueryClient();
  const { alerts } = settings;
  const form = useForm(async (fields, idempotencyKey) => {
    const minutes = (name: Timed) => (fields.has(name) ? Number(textOf(fields, `${name}_minutes`)) : null);
    const change = {
      stopped: fields.has("stopped"),
      restricted: fields.has("restricted"),
      disconnected_minutes: minutes("disconnected"),
      webhook_failing_minutes: minutes("webhook_failing"),
    };
    await api("PATCH /connections/{id}", { id, settings: { alerts: change } }, { idempotencyKey });
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
        <Button type="submit" busy={form.busy} className="justify-self-start">
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

function RemoveConnection({ connection: { id, name } }: { connection: Pick<Connection, "id" | "name"> }) {
  const texts = useTexts(SETTINGS).remove;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const leaving = useLeaving(async () => {
    await api("DELETE /connections/{id}", { id });
    await navigate({ to: "/connections" });
    await refresh(client, ["GET /connections", "GET /me"]);
    toast(texts.removed(name));
  });
  return (
    <Panel title={texts.title} about={texts.about}>
      <Button kind="danger" className="justify-self-start" onClick={() => setAsked(true)}>
        {texts.button}
      </Button>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        title={texts.dialog(name)}
        lost={<Lost id={id} />}
        typed={name}
        action={texts.button}
        onConfirm={() => leaving.mutateAsync()}
      />
    </Panel>
  );
}

function Lost({ id }: { id: number }) {
  const texts = useTexts(SETTINGS).remove;
  const keys = useQuery(reading("GET /connections/{id}/keys", { id })).data?.data;
  const webhook = useQuery(reading("GET /connections/{id}/webhook", { id })).data?.data;
  const people = useQuery(reading("GET /connections/{id}/shares", { id })).data?.data;
  const used = keys?.flatMap(({ last_used_at: at }) => (at === null ? [] : [at])).sort((a, b) => b.localeCompare(a))[0];
  return (
    <>
      <p className="font-semibold">{texts.lostTitle}</p>
      <ul className="grid list-disc gap-1 pl-5">
        <li>{texts.history}</li>
        {keys !== undefined && (
          <li>
            {texts.keys(keys.length)}{" "}
            {used !== undefined && (
              <>
                {texts.lastUsed} <When time={used} />
              </>
            )}
          </li>
        )}
        {webhook !== undefined && <li>{webhook === null ? texts.noWebhook : texts.webhook(new URL(webhook.url).host)}</li>}
        {people !== undefined && <li>{texts.people(people.length)}</li>}
        <li>{texts.pairing}</li>
      </ul>
    </>
  );
}
