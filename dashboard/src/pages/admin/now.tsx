import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, ChevronRight } from "lucide-react";
import { type ResponseBody, reading } from "../../api/client.ts";
import { describe, type FaultTexts, guideOf, toneOf, worstTone } from "../../domain/faults.ts";
import { Badge } from "../../ui/badge.tsx";
import { FilterChips, FilterSearch, useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { When } from "../../ui/when.tsx";
import { ADMIN, NOW, REASONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useNow } from "../../ui/clock.ts";
import { Search } from "./now-search.tsx";

type Faults = ResponseBody<"GET /admin/now">["data"];
type Fault = Faults["faults"][number];

const AGAIN_MS = 30_000;
const HOUR_MS = 3_600_000;
const KINDS = ["check", "alarm", "shard", "proxy", "number", "webhook", "calls"] as const;
/** Shorter lists have no filter, because they are easy to scan. */
const FILTERED_FROM = 6;

export function Now() {
  const texts = useTexts(NOW);
  const [q] = useFilter("q");
  const result = useQuery({ ...reading("GET /admin/now", {}), refetchInterval: AGAIN_MS });
  return (
    <>
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <PageTitle>{texts.title}</PageTitle>
        <p role="status" className="flex flex-wrap items-center gap-x-3 text-soft">
          {result.data !== undefined && (
            <>
              <Badge tone={worstTone(result.data.data.faults)}>
                {result.data.data.faults.length === 0 ? texts.fine : texts.problems(result.data.data.faults.length)}
              </Badge>
              <span>
                {texts.checked} <When time={result.data.data.checked_at} />
              </span>
            </>
          )}
        </p>
      </header>
      <search className="grid gap-1">
        <FilterSearch name="q" label={texts.search.label} wide />
        <p className="text-sm text-soft">{texts.search.hint}</p>
      </search>
      {q !== "" && <Search q={q} />}
      <Query result={result} lines={8}>
        {({ data }) => <Listed {...data} />}
      </Query>
    </>
  );
}

function Listed({ faults, numbers, one_machine: isOneMachine }: Faults) {
  const texts = useTexts(NOW);
  const [kind] = useFilter("kind");
  if (faults.length === 0)
    return (
      <div className="rounded-lg bg-surface">
        <Empty icon={Check} title={texts.none} text={texts.noneText} />
      </div>
    );
  const counts = Map.groupBy(faults, (fault) => fault.kind);
  const options = KINDS.flatMap((value) => {
    const count = counts.get(value)?.length ?? 0;
    return count === 0 ? [] : [{ value, label: texts.kinds[value], count }];
  });
  const shown = faults.filter((fault) => kind === "" || fault.kind === kind);
  const listed = counts.get("number")?.length ?? 0;
  return (
    <section aria-label={texts.list} className="grid min-w-0 gap-3">
      {(faults.length >= FILTERED_FROM || kind !== "") && (
        <FilterChips name="kind" label={texts.kind} every={texts.every} options={options} />
      )}
      {shown.length === 0 ? (
        <Empty title={texts.noneOfKind} />
      ) : (
        <ul className="divide-y divide-line rounded-lg bg-surface">
          {shown.map((fault) => (
            <FaultLine
              key={`${fault.kind} ${fault.code} ${fault.subject ?? ""} ${fault.instance?.id ?? ""}`}
              fault={fault}
              isOneMachine={isOneMachine}
            />
          ))}
        </ul>
      )}
      {numbers > listed && <p className="text-sm text-soft">{texts.moreNumbers(listed, numbers)}</p>}
    </section>
  );
}

const TONES = { bad: "text-bad", attention: "text-attention" } as const;

function FaultLine({ fault, isOneMachine }: { fault: Fault; isOneMachine: boolean }) {
  const texts: FaultTexts = { now: useTexts(NOW), admin: useTexts(ADMIN), reasons: useTexts(REASONS) };
  const { title, detail, todo, count } = describe(fault, texts, isOneMachine);
  const { instance, since } = fault;
  const guide = guideOf(fault);
  // Failures are counted by the hour, so the time of the first one is unknown.
  const isCounted = fault.kind === "webhook" || fault.kind === "calls";
  const now = useNow();
  return (
    <li className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2 gap-y-1 px-4 py-3 sm:grid-cols-[1.25rem_minmax(0,1fr)_auto] sm:gap-x-3">
      <span aria-hidden className={`leading-6 ${TONES[toneOf(fault)]}`}>
        {toneOf(fault) === "bad" ? "▲" : "●"}
      </span>
      <div className="grid min-w-0 gap-0.5">
        <h2 className="text-base wrap-anywhere">{title}</h2>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-soft wrap-anywhere">
          {instance !== null && (
            <>
              <span className="font-semibold text-ink">{instance.name}</span>
              {instance.phone !== null && <PhoneNumber digits={instance.phone} />}
              <a href={`mailto:${instance.owner.email}`} className="inline-flex min-h-6 items-center underline underline-offset-2">
                {instance.owner.email}
              </a>
            </>
          )}
          {count !== null && <span>{count}</span>}
          {since !== null &&
            (isCounted ? <span>{texts.now.inHours(Math.floor((now - Date.parse(since)) / HOUR_MS) + 1)}</span> : <When time={since} />)}
        </p>
        {detail !== null && <p className="text-sm text-soft wrap-anywhere">{detail}</p>}
        <p className="max-w-prose">
          <span className="font-semibold">{texts.now.todo}</span> {todo}
        </p>
        {guide !== null && <p className="text-sm text-soft wrap-anywhere">{texts.now.guide(guide.file, guide.chapter)}</p>}
      </div>
      <Place fault={fault} title={title} />
    </li>
  );
}

const LINK =
  "col-start-2 inline-flex min-h-11 items-center gap-1 self-start font-semibold text-accent underline-offset-2 hover:underline sm:col-start-3 pointer-fine:min-h-6";

/** The checks with a link to the "Fleet" page. The other checks' problems can only be fixed outside the dashboard. */
const FLEET_CHECKS: ReadonlySet<string> = new Set(["bridges", "capacity", "pools", "versions", "containers"]);

/** Problems with a number that an administrator resolves by setting a version on the "Fleet" page. */
const VERSION_REASONS: ReadonlySet<string> = new Set(["waiting_for_update", "client_outdated"]);

/** Links to the page and the part of it where the fault is visible. */
function Place({ fault: { kind, code, subject, proxy_id: proxy, instance }, title }: { fault: Fault; title: string }) {
  const texts = useTexts(NOW);
  const ofVersion = kind === "number" && VERSION_REASONS.has(code);
  const open = texts.open[ofVersion ? "check" : kind];
  const name = texts.openOf(open, instance?.name ?? subject ?? title);
  const shared = {
    "aria-label": name,
    className: LINK,
    children: (
      <>
        {open}
        <ChevronRight size={16} aria-hidden />
      </>
    ),
  };
  if (instance !== null && !ofVersion) {
    const { id } = instance;
    if (kind === "calls") return <Link to="/admin/statistics" search={{ instance: id, interval: "hour" } as never} {...shared} />;
    return <Link to="/admin/instances" search={{ q: id, ...(kind === "webhook" && { webhooks: id }) } as never} {...shared} />;
  }
  if ((kind === "check" && !FLEET_CHECKS.has(code)) || (kind === "shard" && code === "full")) return null;
  if (kind === "proxy") return <Link to="/admin/proxies" search={{ proxy } as never} {...shared} />;
  return <Link to="/admin/fleet" {...(kind === "alarm" || ofVersion ? {} : { hash: "bridges" })} {...shared} />;
}
