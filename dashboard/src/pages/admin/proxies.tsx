import { Plus } from "lucide-react";
import { useRef, useState } from "react";
import { addressFor } from "../../api/client.ts";
import { useStream } from "../../api/live.ts";
import { usePages } from "../../api/pages.ts";
import { useReadAgain } from "../../api/watch.ts";
import { Button } from "../../ui/button.tsx";
import { useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { AddProxy, type Proxy, STALE } from "./proxy-forms.tsx";
import { Numbers, ProxyDrawer, StateOf } from "./proxy.tsx";
import { ADMIN } from "../../texts/catalogs.ts";

type Texts = TextsOf<typeof ADMIN>;
/** Limits refetches, because a large fleet reports checks all the time. */
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
              <section aria-label={texts.list} className="min-w-0 rounded-md border border-line bg-surface">
                {proxies.length === 0 ? (
                  <Empty title={texts.empty} text={texts.emptyText} action={add} />
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
