// The deployment's numbers: now, and over time as bars, as a table and as a file.
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { type Answer, reading } from "../../api/client.ts";
import { STATUSES } from "../../domain/connection-list.ts";
import { csvOf } from "../../domain/csv.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/forms/field.tsx";
import { useFilter } from "../../ui/forms/filters.tsx";
import { Bars } from "../../ui/graphics/bars.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { KIT } from "../../words/areas.ts";
import { locale, useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/words.ts";
import { Facts } from "./act.tsx";
import { ADMIN } from "../../words/areas.ts";

type Numbers = Answer<"GET /admin/statistics">["data"];
type Entry = Numbers["series"][number];
const METRICS = ["sent", "received", "failed", "deliveries", "delivered", "errors", "connected_minutes"] as const;
type Metric = (typeof METRICS)[number];

export function Statistics() {
  const words = useWords(ADMIN).statistics;
  const [chosen, choose] = useFilter("interval");
  const interval = chosen === "hour" ? "hour" : "day";
  const result = useQuery(reading("GET /admin/statistics", { interval }));
  return (
    <>
      <header className="flex flex-wrap items-start justify-between gap-3">
        <PageTitle>{words.title}</PageTitle>
        <Select
          label={words.interval}
          name="interval"
          value={interval}
          options={[
            { value: "day", label: words.byDay },
            { value: "hour", label: words.byHour },
          ]}
          onChange={({ target }) => choose(target.value === "hour" ? "hour" : "")}
        />
      </header>
      <Query result={result} lines={8}>
        {({ data }) => (
          <>
            <Now numbers={data} />
            <OverTime numbers={data} interval={interval} />
          </>
        )}
      </Query>
    </>
  );
}

function Now({ numbers: { users, instances, messages, webhooks, bridges, proxies } }: { numbers: Numbers }) {
  const words = useWords(ADMIN).statistics;
  const kit = useWords(KIT);
  const number = useNumber();
  const panels = [
    {
      title: words.users,
      facts: [
        [words.total, number(users.total)],
        [words.active, number(users.active)],
        [words.suspended, number(users.suspended)],
        [words.subscribed, number(users.subscribed)],
      ],
    },
    {
      title: words.instances,
      facts: [
        [words.total, number(instances.total)],
        ...STATUSES.map((status) => [kit.status[status], number(instances.by_status[status] ?? 0)] as const),
      ],
    },
    {
      title: words.messages,
      facts: [
        [words.sent, number(messages.sent)],
        [words.received, number(messages.received)],
        [words.failed, number(messages.failed)],
      ],
    },
    {
      title: words.webhooks,
      facts: [
        [words.delivered, number(webhooks.delivered)],
        [words.failed, number(webhooks.failed)],
        [words.pending, number(webhooks.pending)],
        [words.p95, webhooks.p95_ms === null ? "–" : words.ms(webhooks.p95_ms)],
      ],
    },
    {
      title: words.bridges,
      facts: [
        [words.total, number(bridges.count)],
        [words.sessions, number(bridges.sessions)],
        [words.memory, words.mb(bridges.rss_mb)],
      ],
    },
    {
      title: words.proxies,
      facts: [
        [words.total, number(proxies.total)],
        [words.healthy, number(proxies.healthy)],
        [words.down, number(proxies.down)],
      ],
    },
  ] as const;
  return (
    <div className="grid gap-4 min-[1100px]:grid-cols-2">
      {panels.map(({ title, facts }) => (
        <Panel key={title} title={title}>
          <Facts facts={facts} />
        </Panel>
      ))}
    </div>
  );
}

function OverTime({ numbers: { series, complete_until }, interval }: { numbers: Numbers; interval: "day" | "hour" }) {
  const words = useWords(ADMIN).statistics;
  const language = useLanguage();
  const number = useNumber();
  const [metric, setMetric] = useState<Metric>("sent");
  const names: Record<Metric, string> = {
    sent: words.sent,
    received: words.received,
    failed: words.failed,
    deliveries: words.deliveries,
    delivered: words.delivered,
    errors: words.errors,
    connected_minutes: words.minutes,
  };
  // Days and hours are counted in UTC.
  const form = new Intl.DateTimeFormat(locale(language), {
    timeZone: "UTC",
    day: "2-digit",
    month: "2-digit",
    ...(interval === "hour" ? { hour: "2-digit", minute: "2-digit" } : {}),
  });
  const name = ({ at, complete }: Entry) => {
    const period = form.format(new Date(at));
    return complete ? period : words.running(period);
  };
  const file = () =>
    csvOf(
      ["at", ...METRICS, "complete"],
      series.map((entry) => [entry.at, ...METRICS.map((each) => entry[each]), String(entry.complete)]),
    );
  return (
    <Panel
      title={words.series}
      about={
        <>
          {words.complete} <When time={complete_until} />. {words.runningNote}
        </>
      }
      actions={
        <Button icon={Download} onClick={() => save(file(), words.file)}>
          {words.csv}
        </Button>
      }
    >
      <div className="max-w-64">
        <Select
          label={words.metric}
          name="metric"
          value={metric}
          options={METRICS.map((each) => ({ value: each, label: names[each] }))}
          onChange={({ target }) => setMetric(target.value as Metric)}
        />
      </div>
      <Bars
        label={names[metric]}
        unit={names[metric]}
        period={words.period}
        bars={series.map((entry) => ({ label: name(entry), value: entry[metric], text: number(entry[metric]), pale: !entry.complete }))}
      />
      {/* It scrolls, also by keyboard. */}
      <div className="max-h-96 min-w-0 overflow-auto" tabIndex={0} role="region" aria-label={words.table}>
        <Rows
          caption={words.series}
          rows={series.toReversed()}
          keyOf={({ at }) => at}
          columns={[
            { id: "at", header: words.period, cell: name },
            ...METRICS.map((each) => ({ id: each, header: names[each], numeric: true, cell: (entry: Entry) => number(entry[each]) })),
          ]}
        />
      </div>
    </Panel>
  );
}

function useNumber(): (count: number) => string {
  const language = useLanguage();
  return (count) => count.toLocaleString(locale(language));
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
