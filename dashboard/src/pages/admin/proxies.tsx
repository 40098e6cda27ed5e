import { Network, Plus } from "lucide-react";
import { useRef, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { addressFor, api, reading } from "../../api/client.ts";
import { useStream } from "../../api/live.ts";
import { useReadAgain } from "../../api/fresh.ts";
import { usePages } from "../../api/pages.ts";
import { Button } from "../../ui/button.tsx";
import { useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { AddProxy, type Proxy, STALE, EditProxy } from "./proxy-forms.tsx";
import { ADMIN } from "../../texts/catalogs.ts";
import { Drawer } from "../../ui/dialog.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { StatusIcon, type ShownStatus } from "../../ui/status.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import { FactGrid } from "../../ui/facts.tsx";

type Texts = TextsOf<typeof ADMIN>;
/** Limits how often the list is refetched, because a large fleet reports checks constantly. */
const READ_AGAIN_MS = 2_000;

export function Proxies() {
  const texts = useTexts(ADMIN).proxies;
  const [open, setOpen] = useFilter("proxy");
  const [isAdding, setAdding] = useState(false);
  const result = usePages("GET /admin/proxies", {});
  const again = useReadAgain(STALE, READ_AGAIN_MS);
  const wasLost = useRef(false);
  useStream(addressFor("GET /admin/proxies/stream", {}), ["changed"], again, (state) => {
    // Refetches, because changes during the outage were not reported.
    if (state === "open" && wasLost.current) again();
    wasLost.current = state === "lost" || state === "asleep" || (wasLost.current && state === "opening");
  });
  const add = (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      {texts.add}
    </Button>
  );
  const isEmpty = result.data?.pages[0]?.data.length === 0;
  return (
    <>
      <header className="flex flex-wrap items-start justify-between gap-3">
        <PageTitle>{texts.title}</PageTitle>
        {!isEmpty && add}
      </header>
      <Query result={result} lines={6}>
        {({ pages }) => {
          const proxies = pages.flatMap(({ data }) => data);
          const down = proxies.filter(({ health }) => health.status === "down");
          return (
            <>
              {down.length > 0 && (
                <section aria-labelledby="down" className="min-w-0 rounded-md border border-bad bg-surface p-4">
                  <h2 id="down" className="text-lg">
                    {texts.down}
                  </h2>
                  {down.map((proxy) => (
                    <div key={proxy.id} className="mt-3 grid gap-1">
                      <StateOf proxy={proxy} name />
                      <Numbers id={proxy.id} />
                    </div>
                  ))}
                </section>
              )}
              <section aria-label={texts.list} className="min-w-0 rounded-lg bg-surface">
                {proxies.length === 0 ? (
                  <Empty icon={Network} title={texts.empty} text={texts.emptyText} action={add} />
                ) : (
                  <>
                    <ProxyRows proxies={proxies} open={open} onOpen={setOpen} />
                    <Pager
                      shown={proxies.length}
                      hasMore={result.hasNextPage}
                      onMore={() => result.fetchNextPage()}
                      busy={result.isFetchingNextPage}
                    />
                  </>
                )}
              </section>
            </>
          );
        }}
      </Query>
      {open !== "" && <ProxyDrawer id={open} onClose={() => setOpen("")} />}
      {isAdding && <AddProxy onClose={() => setAdding(false)} />}
    </>
  );
}

function ProxyRows({ proxies, open, onOpen }: { proxies: readonly Proxy[]; open: string; onOpen: (id: string) => void }) {
  const texts = useTexts(ADMIN).proxies;
  return (
    <Rows
      caption={texts.list}
      rows={proxies}
      keyOf={({ id }) => id}
      isCurrent={({ id }) => id === open}
      columns={proxyColumns(useTexts(ADMIN), onOpen)}
    />
  );
}

function proxyColumns({ proxies: texts, ...all }: Texts, onOpen: (id: string) => void) {
  return [
    {
      id: "proxy",
      header: texts.proxy,
      cell: ({ id, label, protocol, host, port }: Proxy) => (
        <span className="grid min-w-0">
          <button
            type="button"
            aria-label={all.open(label)}
            onClick={() => onOpen(id)}
            className="min-h-6 text-left font-semibold break-words underline-offset-2 hover:underline"
          >
            {label}
          </button>
          <span className="text-soft break-all">
            {protocol}://{host}:{port}
          </span>
        </span>
      ),
    },
    { id: "state", header: texts.state, cell: (proxy: Proxy) => <StateOf proxy={proxy} /> },
    { id: "used", header: texts.used, numeric: true, cell: ({ assigned, max_instances }: Proxy) => `${assigned} / ${max_instances}` },
    {
      id: "exit",
      header: texts.exit,
      cell: ({ health: { exit_ip, exit_country } }: Proxy) =>
        exit_ip === null ? "–" : `${exit_ip}${exit_country === null ? "" : ` (${exit_country})`}`,
    },
    {
      id: "latency",
      header: texts.latency,
      numeric: true,
      cell: ({ health: { latency_ms } }: Proxy) => (latency_ms === null ? "–" : all.statistics.ms(latency_ms)),
    },
    { id: "checked", header: texts.checked, cell: ({ health: { checked_at } }: Proxy) => <When time={checked_at} /> },
  ];
}

type ProxyStatus = Proxy["health"]["status"];
const ICONS: Record<ProxyStatus, ShownStatus> = { healthy: "connected", degraded: "connecting", down: "failed", unknown: "disconnected" };

type StateOfProps = { proxy: Pick<Proxy, "label" | "health" | "is_active">; name?: boolean };

function StateOf({ proxy: { label, health, is_active: active }, name = false }: StateOfProps) {
  const texts = useTexts(ADMIN).proxies;
  return (
    <span className="inline-flex items-baseline gap-1.5" data-proxy-status={health.status}>
      <span className="self-center">
        <StatusIcon status={ICONS[health.status]} />
      </span>
      <span className="min-w-0 wrap-anywhere">
        {name && (
          <span className="font-semibold">
            <bdi>{label}</bdi>:{" "}
          </span>
        )}
        <span className={name ? "" : "font-semibold"}>{texts.statuses[health.status]}</span>
        {!active && <span className="text-soft"> – {texts.inactive}</span>}
        {health.last_error !== null && <span className="text-soft"> – {texts.errors[health.last_error]}</span>}
      </span>
    </span>
  );
}

function Numbers({ id }: { id: string }) {
  const texts = useTexts(ADMIN).proxies;
  const proxy = useQuery(reading("GET /admin/proxies/{proxy_id}", { proxy_id: id })).data?.data;
  if (proxy === undefined) return null;
  if (proxy.instances.length === 0) return <p className="text-soft">{texts.carriesNone}</p>;
  return (
    <ul aria-label={texts.carries} className="flex flex-wrap gap-x-4 gap-y-1">
      {proxy.instances.map(({ id: instance, name, phone_number }) => (
        <li key={instance} className="break-words">
          {name}
          {phone_number !== null && (
            <>
              {" "}
              <PhoneNumber digits={phone_number} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function ProxyDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const texts = useTexts(ADMIN).proxies;
  const all = useTexts(ADMIN);
  const result = useQuery(reading("GET /admin/proxies/{proxy_id}", { proxy_id: id }));
  const [dialog, setDialog] = useState<"check" | "edit" | "remove" | null>(null);
  return (
    <Drawer open onClose={onClose} title={result.data?.data.label ?? texts.proxy}>
      <Query result={result}>
        {({ data: proxy }) => (
          <div className="grid gap-4">
            <StateOf proxy={proxy} />
            <FactGrid
              facts={[
                [texts.host, `${proxy.protocol}://${proxy.host}:${proxy.port}`],
                [texts.username, proxy.username ?? "–"],
                [texts.password, proxy.has_password ? all.yes : all.no],
                [texts.country, proxy.country ?? "–"],
                [texts.used, `${proxy.assigned} / ${proxy.max_instances}`],
                [texts.isActive, proxy.is_active ? all.yes : all.no],
                [texts.checked, <When key="checked" time={proxy.health.checked_at} />],
              ]}
            />
            <section>
              <h3>{texts.carries}</h3>
              <Numbers id={proxy.id} />
            </section>
            <div className="flex flex-wrap gap-2">
              <Button kind="primary" onClick={() => setDialog("check")}>
                {texts.check}
              </Button>
              <Button onClick={() => setDialog("edit")}>{texts.edit}</Button>
              <Button kind="danger" onClick={() => setDialog("remove")}>
                {texts.remove}
              </Button>
            </div>
            {dialog === "check" && (
              <ActionDialog
                title={proxy.label}
                action={texts.check}
                onClose={() => setDialog(null)}
                stale={STALE}
                onConfirm={({ reason, idempotencyKey }) =>
                  api("POST /admin/proxies/{proxy_id}/check", { proxy_id: id, reason }, { idempotencyKey })
                }
              />
            )}
            {dialog === "edit" && <EditProxy proxy={proxy} onClose={() => setDialog(null)} />}
            {dialog === "remove" && (
              <ActionDialog
                title={proxy.label}
                action={texts.remove}
                danger
                onClose={() => setDialog(null)}
                stale={["GET /admin/proxies", "GET /admin/proxies/health"]}
                onConfirm={async ({ reason, fields, idempotencyKey }) => {
                  await api(
                    "DELETE /admin/proxies/{proxy_id}",
                    { proxy_id: id, reason, reassign: fields.has("reassign") },
                    { idempotencyKey },
                  );
                  onClose();
                }}
              >
                <p>{texts.removeLost}</p>
                {proxy.assigned > 0 && <Check name="reassign" label={texts.reassign} />}
              </ActionDialog>
            )}
          </div>
        )}
      </Query>
    </Drawer>
  );
}
