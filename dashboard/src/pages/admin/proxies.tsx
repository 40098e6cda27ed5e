// Proxies, how they are doing, and which numbers the dead ones carry.
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useRef, useState } from "react";
import { addressFor, api, type Answer, reading } from "../../api/client.ts";
import { useStream } from "../../api/live.ts";
import { usePages } from "../../api/pages.ts";
import { useReadAgain } from "../../api/watch.ts";
import { Button } from "../../ui/button.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { fieldText, Select, TextField } from "../../ui/forms/field.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Lamp, type ShownStatus } from "../../ui/lamp.tsx";
import { Pager } from "../../ui/pager.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { useWords } from "../../words/words.ts";
import { ActDialog, Facts } from "./act.tsx";
import { ADMIN } from "../../words/areas.ts";

type Proxy = Answer<"GET /admin/proxies">["data"][number];
type Words = Awaited<ReturnType<typeof ADMIN.load>>;
type ProxyStatus = Proxy["health"]["status"];
const STALE = ["GET /admin/proxies", "GET /admin/proxies/{proxy_id}", "GET /admin/proxies/health"] as const;
/** Checks of a large fleet arrive all the time. */
const READ_AGAIN_MS = 2_000;
const LAMPS: Record<ProxyStatus, ShownStatus> = { healthy: "connected", degraded: "connecting", down: "failed", unknown: "disconnected" };
const PROTOCOLS = ["http", "https", "socks5"] as const;

export function Proxies() {
  const words = useWords(ADMIN).proxies;
  const [open, setOpen] = useFilter("proxy");
  const [isAdding, setAdding] = useState(false);
  const result = usePages("GET /admin/proxies", {});
  const again = useReadAgain(STALE, READ_AGAIN_MS);
  const wasLost = useRef(false);
  useStream(addressFor("GET /admin/proxies/stream", {}), ["changed"], again, (state) => {
    // Nobody has told meanwhile what was new.
    if (state === "open" && wasLost.current) again();
    wasLost.current = state === "lost" || state === "asleep" || (wasLost.current && state === "opening");
  });
  const add = (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  const isEmpty = result.data?.pages[0]?.data.length === 0;
  return (
    <>
      <header className="flex flex-wrap items-start justify-between gap-3">
        <PageTitle>{words.title}</PageTitle>
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
                    {words.down}
                  </h2>
                  {down.map((proxy) => (
                    <div key={proxy.id} className="mt-3 grid gap-1">
                      <StateOf proxy={proxy} name />
                      <Numbers id={proxy.id} />
                    </div>
                  ))}
                </section>
              )}
              <section aria-label={words.list} className="min-w-0 rounded-md border border-line bg-surface">
                {proxies.length === 0 ? (
                  <Empty title={words.empty} text={words.emptyText} action={add} />
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

type StateOfProps = { proxy: Pick<Proxy, "label" | "health" | "is_active">; name?: boolean };

/** ● ◐ ▲ ○ with the word, and why the last check failed. */
function StateOf({ proxy: { label, health, is_active: active }, name = false }: StateOfProps) {
  const words = useWords(ADMIN).proxies;
  return (
    <span className="inline-flex items-baseline gap-1.5" data-proxy-status={health.status}>
      <span className="self-center">
        <Lamp status={LAMPS[health.status]} />
      </span>
      <span className="min-w-0 wrap-anywhere">
        {name && (
          <span className="font-semibold">
            <bdi>{label}</bdi>:{" "}
          </span>
        )}
        <span className={name ? "" : "font-semibold"}>{words.statuses[health.status]}</span>
        {!active && <span className="text-soft"> – {words.inactive}</span>}
        {health.last_error !== null && <span className="text-soft"> – {words.errors[health.last_error]}</span>}
      </span>
    </span>
  );
}

/** The numbers that a proxy carries. */
function Numbers({ id }: { id: string }) {
  const words = useWords(ADMIN).proxies;
  const proxy = useQuery(reading("GET /admin/proxies/{proxy_id}", { proxy_id: id })).data?.data;
  if (proxy === undefined) return null;
  if (proxy.instances.length === 0) return <p className="text-soft">{words.carriesNone}</p>;
  return (
    <ul aria-label={words.carries} className="flex flex-wrap gap-x-4 gap-y-1">
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

function ProxyRows({ proxies, open, onOpen }: { proxies: readonly Proxy[]; open: string; onOpen: (id: string) => void }) {
  const words = useWords(ADMIN).proxies;
  return (
    <Rows
      caption={words.list}
      rows={proxies}
      keyOf={({ id }) => id}
      isCurrent={({ id }) => id === open}
      columns={proxyColumns(useWords(ADMIN), onOpen)}
    />
  );
}

function proxyColumns({ proxies: words, ...all }: Words, onOpen: (id: string) => void) {
  return [
    {
      id: "proxy",
      header: words.proxy,
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
    { id: "state", header: words.state, cell: (proxy: Proxy) => <StateOf proxy={proxy} /> },
    { id: "used", header: words.used, numeric: true, cell: ({ assigned, max_instances }: Proxy) => `${assigned} / ${max_instances}` },
    {
      id: "exit",
      header: words.exit,
      cell: ({ health: { exit_ip, exit_country } }: Proxy) =>
        exit_ip === null ? "–" : `${exit_ip}${exit_country === null ? "" : ` (${exit_country})`}`,
    },
    {
      id: "latency",
      header: words.latency,
      numeric: true,
      cell: ({ health: { latency_ms } }: Proxy) => (latency_ms === null ? "–" : all.statistics.ms(latency_ms)),
    },
    { id: "checked", header: words.checked, cell: ({ health: { checked_at } }: Proxy) => <When time={checked_at} /> },
  ];
}

function ProxyDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const words = useWords(ADMIN).proxies;
  const all = useWords(ADMIN);
  const result = useQuery(reading("GET /admin/proxies/{proxy_id}", { proxy_id: id }));
  const [act, setAct] = useState<"check" | "edit" | "remove" | null>(null);
  return (
    <Drawer open onClose={onClose} title={result.data?.data.label ?? words.proxy}>
      <Query result={result}>
        {({ data: proxy }) => (
          <div className="grid gap-4">
            <StateOf proxy={proxy} />
            <Facts
              facts={[
                [words.host, `${proxy.protocol}://${proxy.host}:${proxy.port}`],
                [words.username, proxy.username ?? "–"],
                [words.password, proxy.has_password ? all.yes : all.no],
                [words.country, proxy.country ?? "–"],
                [words.used, `${proxy.assigned} / ${proxy.max_instances}`],
                [words.isActive, proxy.is_active ? all.yes : all.no],
                [words.checked, <When key="checked" time={proxy.health.checked_at} />],
              ]}
            />
            <section>
              <h3>{words.carries}</h3>
              <Numbers id={proxy.id} />
            </section>
            <div className="flex flex-wrap gap-2">
              <Button kind="primary" onClick={() => setAct("check")}>
                {words.check}
              </Button>
              <Button onClick={() => setAct("edit")}>{words.edit}</Button>
              <Button kind="danger" onClick={() => setAct("remove")}>
                {words.remove}
              </Button>
            </div>
            {act === "check" && (
              <ActDialog
                title={proxy.label}
                action={words.check}
                onClose={() => setAct(null)}
                stale={STALE}
                onAct={({ reason, click }) => api("POST /admin/proxies/{proxy_id}/check", { proxy_id: id, reason }, { click })}
              />
            )}
            {act === "edit" && <EditProxy proxy={proxy} onClose={() => setAct(null)} />}
            {act === "remove" && (
              <ActDialog
                title={proxy.label}
                action={words.remove}
                danger
                onClose={() => setAct(null)}
                stale={["GET /admin/proxies", "GET /admin/proxies/health"]}
                onAct={async ({ reason, fields, click }) => {
                  await api("DELETE /admin/proxies/{proxy_id}", { proxy_id: id, reason, reassign: fields.has("reassign") }, { click });
                  onClose();
                }}
              >
                <p>{words.removeLost}</p>
                {proxy.assigned > 0 && <Check name="reassign" label={words.reassign} />}
              </ActDialog>
            )}
          </div>
        )}
      </Query>
    </Drawer>
  );
}

function AddProxy({ onClose }: { onClose: () => void }) {
  const words = useWords(ADMIN).proxies;
  return (
    <ActDialog
      title={words.add}
      action={words.add}
      onClose={onClose}
      stale={STALE}
      onAct={({ reason, fields, click }) => {
        const password = textOrNull(fields, "password");
        return api("POST /admin/proxies", { reason, ...fieldsOf(fields), password }, { click });
      }}
    >
      <ProxyFields proxy={null} />
      <TextField label={words.password} name="password" type="password" autoComplete="new-password" hint={words.passwordHint} />
    </ActDialog>
  );
}

/** The password is not shown: it stays unless another one is typed, and goes with the user name. Only what was changed is sent. */
function EditProxy({ proxy, onClose }: { proxy: Proxy; onClose: () => void }) {
  const words = useWords(ADMIN).proxies;
  return (
    <ActDialog
      title={proxy.label}
      action={words.save}
      onClose={onClose}
      stale={STALE}
      onAct={({ reason, fields, click }) => {
        const typed = textOrNull(fields, "password");
        const wanted = { ...fieldsOf(fields), is_active: fields.has("is_active") };
        const password = wanted.username === null && proxy.has_password ? { password: null } : typed === null ? {} : { password: typed };
        const changed = Object.entries(wanted).filter(([name, value]) => value !== proxy[name as keyof typeof wanted]);
        const changes: Partial<typeof wanted & { password: string | null }> = { ...Object.fromEntries(changed), ...password };
        return api("PATCH /admin/proxies/{proxy_id}", { proxy_id: proxy.id, reason, ...changes }, { click });
      }}
    >
      <ProxyFields proxy={proxy} />
      <TextField label={words.password} name="password" type="password" autoComplete="new-password" hint={words.passwordStays} />
      <Check name="is_active" label={words.isActive} hint={words.isActiveHint} defaultChecked={proxy.is_active} />
    </ActDialog>
  );
}

/** `proxy` null: a new one. */
function ProxyFields({ proxy }: { proxy: Proxy | null }) {
  const words = useWords(ADMIN).proxies;
  const { port = 3128, max_instances: most = 10 } = proxy ?? {};
  const protocols = PROTOCOLS.map((value) => ({ value, label: value }));
  return (
    <>
      <TextField label={words.label} name="label" characters={60} required autoComplete="off" defaultValue={proxy?.label} data-autofocus />
      <Select label={words.protocol} name="protocol" options={protocols} defaultValue={proxy?.protocol} />
      <TextField label={words.host} name="host" required maxLength={253} autoComplete="off" defaultValue={proxy?.host} />
      <TextField label={words.port} name="port" type="number" min={1} max={65_535} required defaultValue={port} />
      <TextField label={words.username} name="username" autoComplete="off" defaultValue={proxy?.username ?? ""} />
      <TextField
        label={words.country}
        name="country"
        maxLength={2}
        pattern="[A-Za-z]{2}"
        hint={words.countryHint}
        autoComplete="off"
        defaultValue={proxy?.country ?? ""}
      />
      <TextField label={words.most} name="max_instances" type="number" min={1} max={1_000} required defaultValue={most} />
    </>
  );
}

function textOrNull(fields: FormData, name: string): string | null {
  return fieldText(fields, name) === "" ? null : fieldText(fields, name);
}

function fieldsOf(fields: FormData) {
  return {
    label: fieldText(fields, "label"),
    protocol: PROTOCOLS.find((each) => each === fieldText(fields, "protocol")) ?? ("http" as const),
    host: fieldText(fields, "host"),
    port: Number(fieldText(fields, "port")),
    username: textOrNull(fields, "username"),
    country: textOrNull(fields, "country")?.toUpperCase() ?? null,
    max_instances: Number(fieldText(fields, "max_instances")),
  };
}
