import { useQuery } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";
import { FilterX, ListTree } from "lucide-react";
import { useState } from "react";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { type ResponseBody, reading } from "../../api/client.ts";
import { usePages, withoutEmpty } from "../../api/pages.ts";
import { useFresh } from "../../api/fresh.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Mono } from "../../ui/code/code.tsx";
import { OPENED_HERE } from "../../ui/use-closing.ts";
import { FilterChips, FilterSelect, useFilter, useFilters } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Paged, Pager } from "../../ui/pager.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { type Column, RowLink, Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { FAILURES, LOGS } from "../../texts/catalogs.ts";

type LogTexts = TextsOf<typeof LOGS>;

const LIST = "GET /connections/{id}/logs";
const SUMMARY = "GET /connections/{id}/logs/summary";
/** Limits refetches of the summary, because it reads the whole log. */
const SUMMARY_INTERVAL_MS = 3_000;
const PROGRAMS = "programs";
const EVERY = "all";

export type Logged = ResponseBody<typeof LIST>["data"][number];
type Summary = ResponseBody<typeof SUMMARY>["data"];

export function Logs() {
  const texts = useTexts(LOGS);
  const { id } = useParams({ from: "/in/connections/$id/logs" });
  useFresh("requests", [LIST]);
  useFresh("requests", [SUMMARY], SUMMARY_INTERVAL_MS);
  const summary = useQuery(reading(SUMMARY, { id }));
  return (
    <div className="grid min-w-0 gap-4">
      <header>
        <PageTitle>{texts.title}</PageTitle>
        <p className="max-w-prose text-soft">{texts.about}</p>
      </header>
      <Refusals id={id} texts={texts} />
      <Calls id={id} texts={texts} summary={summary.data?.data ?? null} />
      <Outlet />
    </div>
  );
}

/** The requests below are more important than rare reasons. */
const FEW_REFUSALS = 4;

function Refusals({ id, texts }: { id: string; texts: LogTexts }) {
  const result = useQuery(reading(SUMMARY, { id }));
  const choose = useFilters();
  const [shown, setShown] = useState(FEW_REFUSALS);
  return (
    <Panel title={texts.errors.title} about={texts.errors.about} flush>
      <Query result={result} label={texts.loading} lines={2}>
        {({ data: { refusals } }) =>
          refusals.length === 0 ? (
            <p className="p-4 text-center text-soft">{texts.errors.none}</p>
          ) : (
            <>
              <Rows
                caption={texts.errors.title}
                columns={refusalColumns(texts, choose)}
                rows={refusals.slice(0, shown)}
                keyOf={({ method, route, status, code }) => `${method} ${route} ${status} ${code}`}
              />
              <Pager shown={shown} hasMore={shown < refusals.length} onMore={() => setShown(refusals.length)} />
            </>
          )
        }
      </Query>
    </Panel>
  );
}

function Calls({ id, texts, summary }: { id: string; texts: LogTexts; summary: Summary | null }) {
  const [status] = useFilter("status");
  const [code] = useFilter("code");
  const [route] = useFilter("route");
  const [key] = useFilter("key");
  const choose = useFilters();
  const { request: open } = useParams({ strict: false });
  const filtered = [status, code, route, key].some((value) => value !== "");
  // The dashboard's own calls are shown only on request.
  const given = { id, ...withoutEmpty({ status, code, route, key: key === "" ? PROGRAMS : key === EVERY ? "" : key }) };
  const result = usePages(LIST, given);
  const clear = () => choose({ status: "", code: "", route: "", key: "" });
  const empty = filtered ? (
    <Empty title={texts.nothing.title} text={texts.nothing.text} action={<Button onClick={clear}>{texts.filters.clear}</Button>} />
  ) : (
    <Empty
      icon={ListTree}
      title={texts.empty.title}
      text={texts.empty.text}
      action={
        <ButtonLink to="/connections/$id/integrations" params={{ id }} kind="primary">
          {texts.empty.action}
        </ButtonLink>
      }
    />
  );
  return (
    <Panel title={texts.list} flush>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3 border-b border-line p-4 sm:[&>fieldset]:basis-full">
        <FilterChips
          name="status"
          label={texts.filters.status}
          clears={["code"]}
          options={[
            { value: "2xx", label: texts.filters.ok },
            { value: "4xx", label: texts.filters.refused },
            { value: "5xx", label: texts.filters.failed },
            ...(/^\d{3}$/.test(status)
              ? [{ value: status, label: texts.filters.only(code === "" ? status : `${status} ${shownCode(route, code)}`) }]
              : []),
          ]}
        />
        <FilterSelect name="route" label={texts.filters.route} every={texts.filters.everyRoute} options={routesOf(summary, route)} />
        <FilterSelect name="key" label={texts.filters.key} every={texts.filters.everyKey} options={callersOf(summary, key, texts)} />
        {filtered && (
          <Button kind="quiet" icon={FilterX} onClick={clear}>
            {texts.filters.clear}
          </Button>
        )}
      </div>
      <Paged result={result} label={texts.loading} lines={6} empty={empty}>
        {(calls) => (
          <Rows
            caption={texts.list}
            columns={callColumns(id, texts)}
            rows={calls}
            keyOf={(call) => call.id}
            isCurrent={(call) => call.id === open}
          />
        )}
      </Paged>
    </Panel>
  );
}

function refusalColumns(
  texts: LogTexts,
  choose: (filters: Readonly<Record<string, string>>) => void,
): readonly Column<Summary["refusals"][number]>[] {
  return [
    {
      id: "reason",
      header: texts.columns.reason,
      cell: ({ method, route, status, code }) => (
        <div className="w-full pb-1">
          <button
            type="button"
            onClick={() => choose({ status: String(status), code: code ?? "", route, key: EVERY })}
            className="flex min-h-11 w-full flex-wrap items-center gap-x-3 gap-y-1 text-left underline-offset-2 after:absolute after:inset-0 hover:underline pointer-fine:min-h-8"
          >
            <StatusBadge status={status} route={route} code={code} />
            <RouteText method={method} route={route} />
            <span className="sr-only">{texts.errors.show}</span>
          </button>
          <Words code={code} />
        </div>
      ),
    },
    { id: "count", header: texts.columns.count, cell: ({ count }) => count, numeric: true },
    { id: "last", header: texts.columns.last, cell: ({ last_at }) => <When time={last_at} plain />, wideOnly: true },
  ];
}

function callColumns(id: string, texts: LogTexts): readonly Column<Logged>[] {
  return [
    {
      id: "call",
      header: texts.columns.call,
      cell: ({ id: request, method, route: pattern, code }) => (
        <div>
          <RowLink to="/connections/$id/logs/$request" params={{ id, request }} search state={OPENED_HERE} resetScroll={false}>
            <RouteText method={method} route={pattern} />
          </RowLink>
          <Words code={code} />
        </div>
      ),
    },
    {
      id: "answer",
      header: texts.columns.answer,
      cell: ({ status: answered, route, code: failure, replayed }) => (
        <span className="inline-flex flex-wrap gap-1">
          <StatusBadge status={answered} route={route} code={failure} />
          {replayed && <Badge>{texts.replayed}</Badge>}
        </span>
      ),
    },
    { id: "caller", header: texts.columns.caller, cell: ({ caller }) => texts.caller[caller.kind](caller.name) },
    {
      id: "ms",
      header: texts.columns.ms,
      cell: ({ ms }) => <span className="whitespace-nowrap">{texts.ms(ms)}</span>,
      numeric: true,
      wideOnly: true,
    },
    {
      id: "at",
      header: texts.columns.at,
      cell: ({ at }) => (
        <span className="whitespace-nowrap">
          <When time={at} plain />
        </span>
      ),
    },
  ];
}

/** The route filter in the URL stays selectable even if the log no longer contains such calls. */
function routesOf(summary: Summary | null, chosen: string) {
  const routes = new Set([...(summary?.routes ?? []), ...(chosen === "" ? [] : [chosen])]);
  return [...routes].map((route) => ({ value: route, label: route }));
}

function callersOf(summary: Summary | null, chosen: string, texts: LogTexts) {
  const options = (summary?.callers ?? []).map(({ kind, key_id, name }) =>
    kind === "key" ? { value: key_id ?? kind, label: texts.caller.key(name) } : { value: kind, label: texts.callers[kind] },
  );
  options.push({ value: EVERY, label: texts.callers.all });
  return chosen === "" || options.some(({ value }) => value === chosen) ? options : [...options, { value: chosen, label: chosen }];
}

function toneOf(status: number): Tone {
  if (status >= 500) return "bad";
  return status >= 400 ? "attention" : "good";
}

/** Returns the error code that the caller received. The Connection API has its own codes. */
function shownCode(route: string, code: string | null): string | null {
  return route.startsWith("/api/v1/") && isFailureCode(code) ? FAILURE_RESPONSES[code].codigo : code;
}

export function isFailureCode(code: string | null): code is FailureCode {
  return code !== null && Object.hasOwn(FAILURE_RESPONSES, code);
}

export function StatusBadge({ status, route, code }: { status: number; route: string; code: string | null }) {
  const shown = shownCode(route, code);
  return (
    <Badge tone={toneOf(status)}>
      {status}
      {shown !== null && <span className="font-normal"> {shown}</span>}
    </Badge>
  );
}

/** The code in words, because the Connection API's codes are Portuguese. */
function Words({ code }: { code: string | null }) {
  const { api } = useTexts(FAILURES);
  return isFailureCode(code) && <p className="text-sm text-soft">{api({ code })}</p>;
}

export function RouteText({ method, route }: { method: string; route: string }) {
  return (
    <span className="break-all">
      <span className="text-soft">{method}</span> <Mono>{route}</Mono>
    </span>
  );
}
