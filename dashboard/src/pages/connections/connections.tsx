import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ListFilter, Plus } from "lucide-react";
import { Suspense, useState } from "react";
import { addressFor, type ResponseBody } from "../../api/client.ts";
import { useStream } from "../../api/live.ts";
import { STATUSES, type StatusFrame, withFrame, withNewcomers } from "../../domain/connection-list.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { capital, FilterChips, FilterSearch } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { StatusIcon } from "../../ui/status.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { UI, CONNECTIONS } from "../../texts/catalogs.ts";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { Attention, FirstConnection, ConnectionRow } from "./rows.tsx";
import { CreateDialog } from "./create.tsx";
import { isFiltered, listReading, type ListSearch } from "./search.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const NoSubscription = lazyPart(() => import("./no-subscription.tsx").then(({ NoSubscription: component }) => component));

const MAX_FOLLOWED = 25;
/** Shorter lists have no filter, because reading them is quicker than filtering. */
const FILTERED_FROM = 6;
const LIST = "min-w-0 rounded-lg bg-surface";
const route = getRouteApi("/in/connections");

type ListTexts = TextsOf<typeof CONNECTIONS>;
type List = ResponseBody<"GET /connections">;

export function Connections() {
  const texts = useTexts(CONNECTIONS);
  // Ignores the `new` parameter, because opening the dialog must not re-render the list.
  const search = route.useSearch({ select: ({ new: _, ...shown }): ListSearch => shown, structuralSharing: true });
  const navigate = route.useNavigate();
  const { status, after } = search;
  const result = useQuery(listReading(search));
  const list = result.data;
  // Also follows connections that the filter hides, so that each appears as soon as it matches.
  const hidden = useQuery({ ...listReading({ ...search, status: undefined }), enabled: status !== undefined && after === undefined });
  const all = hidden.isPlaceholderData ? undefined : hidden.data;
  const isLost = useLiveList(list, status === undefined ? undefined : all);
  const { attention, attention_total } = (status === undefined ? list : (all ?? list)) ?? { attention: [], attention_total: 0 };
  const isLong = list !== undefined && (list.data.length >= FILTERED_FROM || list.next_cursor !== null || after !== undefined);
  // Filters stay once shown, because the user may be typing in them.
  const [filters, setFilters] = useState(false);
  if (!filters && (isLong || isFiltered(search))) setFilters(true);
  const clear = () => void navigate({ search: {}, replace: true });
  const why = whyNot(list?.plan, texts);
  // An empty search result does not mean that the account is empty.
  const isKnown = list !== undefined && !result.isPlaceholderData;
  const isFirst = isKnown && list.data.length === 0 && !isFiltered(search) && after === undefined;
  return (
    <div className="grid min-w-0 gap-4">
      <header className="grid justify-items-start gap-x-6 gap-y-3 sm:flex sm:items-start sm:justify-between">
        <div>
          <PageTitle>{texts.title}</PageTitle>
          <PlanUse plan={list?.plan} />
        </div>
        {!isFirst && <CreateButton why={why} />}
      </header>
      {isLost && (
        <p role="status" className="appear-later text-sm text-attention">
          {texts.lost}
        </p>
      )}
      {list === undefined ? (
        // Rendered separately from the list, so that the page does not shift when the attention list appears above it.
        <section key="first" className={LIST}>
          <Query result={result} lines={6}>
            {() => null}
          </Query>
        </section>
      ) : (
        <>
          {attention.length > 0 && <Attention items={attention} total={attention_total} />}
          {!isFirst && filters && <Filters />}
          <section aria-label={texts.list} className={LIST}>
            <Query result={result} lines={6}>
              {({ data, next_cursor }) => (
                <Rows
                  rows={withNewcomers(data, all?.data ?? [], status)}
                  search={search}
                  next={next_cursor}
                  why={why}
                  isFirst={isFirst}
                  hasPlan={list.plan !== null}
                  onClear={clear}
                />
              )}
            </Query>
          </section>
        </>
      )}
      <NewConnection />
    </div>
  );
}

function NewConnection() {
  const isOpen = route.useSearch({ select: (search) => search.new === true });
  const navigate = route.useNavigate();
  return (
    <CreateDialog open={isOpen} onClose={() => void navigate({ search: (search) => ({ ...search, new: undefined }), replace: true })} />
  );
}

function Filters() {
  const texts = useTexts(CONNECTIONS);
  const ui = useTexts(UI);
  const chosen = route.useSearch({ select: ({ status, of }) => status !== undefined || of !== undefined });
  const [open, setOpen] = useState(chosen);
  const statuses = STATUSES.map((status) => ({
    value: status,
    label: (
      <>
        <StatusIcon status={status} /> {capital(ui.status[status])}
      </>
    ),
  }));
  const whose = [
    { value: "owner", label: texts.ofOwner },
    { value: "shared", label: texts.ofShared },
  ];
  return (
    <search className="flex flex-wrap items-center gap-x-6 gap-y-2">
      <FilterSearch name="q" label={texts.search} />
      <Button icon={ListFilter} aria-expanded={open} className="min-[900px]:hidden" onClick={() => setOpen(!open)}>
        {texts.filters}
      </Button>
      <div className={`flex flex-wrap items-center gap-x-6 gap-y-2 ${open ? "" : "max-[899px]:hidden"}`}>
        <FilterChips name="status" label={texts.status} options={statuses} />
        <FilterChips name="of" label={texts.of} options={whose} />
      </div>
    </search>
  );
}

/** Applies stream updates to the list. Returns true while the stream is lost. */
function useLiveList(list: List | undefined, all: List | undefined): boolean {
  const client = useQueryClient();
  const followed = [...(list?.data ?? []), ...(list?.attention ?? []), ...(all?.data ?? [])].map(({ id }) => id);
  // Sorted, so that the stream stays open when rows change their order.
  const ids = [...new Set(followed)]
    .slice(0, MAX_FOLLOWED)
    .toSorted((a, b) => a - b)
    .join(",");
  const [wasOpen, setWasOpen] = useState(false);
  const state = useStream(ids === "" ? null : addressFor("GET /stream", { ids }), ["status", "gone"], ({ type, data }) => {
    setWasOpen(true);
    const key = { queryKey: ["GET /connections"] };
    if (type === "gone") void client.invalidateQueries(key);
    else client.setQueriesData<List>(key, (known) => known && withFrame(known, data as StatusFrame, new Date().toISOString()));
  });
  return wasOpen && state === "lost";
}

type RowsProps = {
  rows: List["data"];
  search: ListSearch;
  next: string | null;
  why: string | undefined;
  isFirst: boolean;
  hasPlan: boolean;
  onClear: () => void;
};

function Rows({ rows, search, next, why, isFirst, hasPlan, onClear }: RowsProps) {
  const texts = useTexts(CONNECTIONS);
  if (isFirst && !hasPlan) {
    return (
      <Suspense>
        <NoSubscription />
      </Suspense>
    );
  }
  if (isFirst) return <FirstConnection action={<CreateButton why={why} />} />;
  if (rows.length === 0 && next === null) {
    return <Empty title={texts.noMatch} action={<Button onClick={onClear}>{texts.clear}</Button>} />;
  }
  return (
    <>
      <ul>
        {rows.map((row) => (
          <ConnectionRow key={row.id} row={row} />
        ))}
      </ul>
      <footer className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-2 text-sm text-soft">
        <span role="status">{texts.count(rows.length)}</span>
        {(next !== null || search.after !== undefined) && (
          <nav aria-label={texts.pages} className="flex flex-wrap gap-2">
            {search.after !== undefined && (
              <ButtonLink to="/connections" search={{ ...search, after: undefined }} kind="quiet">
                {texts.first}
              </ButtonLink>
            )}
            {next !== null && (
              <ButtonLink to="/connections" search={{ ...search, after: next }}>
                {texts.next}
              </ButtonLink>
            )}
          </nav>
        )}
      </footer>
    </>
  );
}

function PlanUse({ plan }: { plan: List["plan"] | undefined }) {
  const texts = useTexts(CONNECTIONS);
  if (plan === undefined || plan === null) return <p className="min-h-[1.5em] text-soft" />;
  const { instances, max_instances } = plan;
  return (
    <p className="min-h-[1.5em] text-soft">
      {texts.used(instances, max_instances)}
      {instances >= max_instances && (
        <>
          {" · "}
          <span className="text-attention">{texts.atLimit}</span>
          {" · "}
          <Link to="/account" className="text-accent underline underline-offset-2">
            {texts.plan}
          </Link>
        </>
      )}
    </p>
  );
}

function whyNot(plan: List["plan"] | undefined, texts: ListTexts): string | undefined {
  if (plan === undefined) return undefined;
  if (plan === null) return texts.noSubscription;
  return plan.instances >= plan.max_instances ? texts.full(plan.max_instances) : undefined;
}

function CreateButton({ why }: { why: string | undefined }) {
  const texts = useTexts(CONNECTIONS);
  const navigate = route.useNavigate();
  return (
    <Button kind="primary" icon={Plus} why={why} onClick={() => void navigate({ search: (search) => ({ ...search, new: true }) })}>
      {texts.create}
    </Button>
  );
}
