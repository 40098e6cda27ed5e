import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { api, type ResponseBody, reading } from "../../api/client.ts";
import { withoutEmpty, usePages } from "../../api/pages.ts";
import { Refused } from "../../api/refused.ts";
import { STATUSES } from "../../domain/connection-list.ts";
import { textOf, Select } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { FilterChips, FilterSearch, useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { StatusText } from "../../ui/status.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Paged } from "../../ui/pager.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { Empty } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { UI, ADMIN } from "../../texts/catalogs.ts";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";
import { ActionDialog } from "./action-dialog.tsx";

const Webhooks = lazyPart(() => import("./webhooks.tsx").then(({ Webhooks: component }) => component));

type Instance = ResponseBody<"GET /admin/instances">["data"][number];
type Texts = TextsOf<typeof ADMIN>;
type DialogKind = { kind: "move" | "assign" | "webhooks"; instance: Instance };
const STALE = ["GET /admin/instances", "GET /admin/bridges", "GET /admin/proxies", "GET /admin/proxies/health"] as const;

export function Instances() {
  const texts = useTexts(ADMIN).instances;
  const ui = useTexts(UI);
  const [q] = useFilter("q");
  const [chosen] = useFilter("status");
  const [webhooks, setWebhooks] = useFilter("webhooks");
  const [dialog, setDialog] = useState<DialogKind | null>(null);
  const open = (opened: DialogKind) => (opened.kind === "webhooks" ? setWebhooks(opened.instance.id) : setDialog(opened));
  const status = STATUSES.find((each) => each === chosen);
  const result = usePages("GET /admin/instances", { ...withoutEmpty({ q }), ...(status === undefined ? {} : { status }) });
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <search className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <FilterSearch name="q" label={texts.search} />
        <FilterChips name="status" label={texts.status} options={STATUSES.map((value) => ({ value, label: ui.status[value] }))} />
      </search>
      <section aria-label={texts.list} className="min-w-0 rounded-lg bg-surface">
        <Paged result={result} lines={8} empty={<Empty title={texts.none} />}>
          {(instances) => <InstanceRows instances={instances} onOpen={open} />}
        </Paged>
      </section>
      {webhooks !== "" && (
        <Suspense>
          <Webhooks
            id={webhooks}
            name={result.data?.pages.flatMap(({ data }) => data).find(({ id }) => id === webhooks)?.name}
            onClose={() => setWebhooks("")}
          />
        </Suspense>
      )}
      {dialog?.kind === "move" && <Move instance={dialog.instance} onClose={() => setDialog(null)} />}
      {dialog?.kind === "assign" && <AssignProxy instance={dialog.instance} onClose={() => setDialog(null)} />}
    </>
  );
}

function InstanceRows({ instances, onOpen }: { instances: readonly Instance[]; onOpen: (dialog: DialogKind) => void }) {
  const texts = useTexts(ADMIN).instances;
  return <Rows caption={texts.list} rows={instances} keyOf={({ id }) => id} columns={instanceColumns(texts, onOpen)} />;
}

function instanceColumns(texts: Texts["instances"], onOpen: (dialog: DialogKind) => void) {
  const ofSession = (instance: Instance) => [
    {
      label: texts.move,
      onSelect: () => onOpen({ kind: "move", instance }),
      ...(instance.status === "connected" ? {} : { why: texts.notConnected }),
    },
    { label: texts.assign, onSelect: () => onOpen({ kind: "assign", instance }) },
  ];
  return [
    {
      id: "instance",
      header: texts.instance,
      cell: ({ name, owner }: Instance) => (
        <span className="grid min-w-0">
          <span className="font-semibold break-words">{name}</span>
          <span className="text-soft break-all">{owner.email}</span>
        </span>
      ),
    },
    {
      id: "phone",
      header: texts.phone,
      cell: ({ phone_number }: Instance) => (phone_number === null ? "–" : <PhoneNumber digits={phone_number} />),
    },
    {
      id: "status",
      header: texts.status,
      cell: ({ status, status_reason, status_changed_at }: Instance) => (
        <StatusText status={status} reason={status_reason} since={status_changed_at} />
      ),
    },
    {
      id: "bridge",
      header: texts.bridge,
      cell: ({ bridge_id, kind }: Instance) => (
        <span className="inline-block min-w-20 break-words">{kind === "cloud_api" ? texts.cloud : (bridge_id ?? "–")}</span>
      ),
    },
    {
      id: "actions",
      header: texts.actions,
      headerHidden: true,
      cell: (instance: Instance) => (
        <Menu
          label={texts.actions}
          name={texts.actionsOf(instance.name)}
          align="end"
          items={[
            { label: texts.webhooks, onSelect: () => onOpen({ kind: "webhooks", instance }) },
            // Cloud API numbers have neither a session to move nor a proxy.
            ...(instance.kind === "cloud_api" ? [] : ofSession(instance)),
          ]}
        />
      ),
    },
  ];
}

function Move({ instance, onClose }: { instance: Instance; onClose: () => void }) {
  const texts = useTexts(ADMIN).instances;
  const bridges = useQuery(reading("GET /admin/bridges", {})).data?.data ?? [];
  const others = bridges.filter(({ id, connected, draining }) => id !== instance.bridge_id && connected && !draining);
  return (
    <ActionDialog
      title={instance.name}
      action={texts.move}
      onClose={onClose}
      stale={STALE}
      onConfirm={({ reason, fields, idempotencyKey }) => {
        const bridge_id = textOf(fields, "bridge_id");
        const to = bridge_id === "" ? {} : { bridge_id };
        return api("POST /admin/instances/{instance_id}/move", { instance_id: instance.id, reason, ...to }, { idempotencyKey });
      }}
    >
      <p>{texts.moveAbout}</p>
      <Select
        label={texts.bridge}
        name="bridge_id"
        options={[{ value: "", label: texts.least }, ...others.map(({ id }) => ({ value: id, label: id }))]}
      />
    </ActionDialog>
  );
}

function AssignProxy({ instance, onClose }: { instance: Instance; onClose: () => void }) {
  const texts = useTexts(ADMIN).instances;
  const ui = useTexts(UI);
  const { data, error } = useQuery(reading("GET /admin/proxies", { limit: 200 }));
  const proxies = data?.data ?? [];
  const hint = data === undefined ? ui.loading : proxies.length === 0 ? texts.noProxies : undefined;
  return (
    <ActionDialog
      title={instance.name}
      action={texts.assign}
      onClose={onClose}
      stale={STALE}
      onConfirm={({ reason, fields, idempotencyKey }) =>
        api(
          "POST /admin/proxies/{proxy_id}/assign",
          { proxy_id: textOf(fields, "proxy_id"), reason, instance_ids: [instance.id] },
          { idempotencyKey },
        )
      }
    >
      <p>{texts.assignAbout}</p>
      <Select
        label={texts.proxy}
        name="proxy_id"
        required
        hint={error === null ? hint : undefined}
        options={proxies.map(({ id, label, assigned, max_instances }) => ({ value: id, label: `${label} (${assigned}/${max_instances})` }))}
      />
      <FormError refused={error instanceof Refused ? error : null} />
    </ActionDialog>
  );
}
