import { Link } from "@tanstack/react-router";
import { ScrollText } from "lucide-react";
import { withoutEmpty, usePages } from "../../api/pages.ts";
import type { ResponseBody } from "../../api/client.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { FilterSearch, FilterSelect, useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Json } from "../../ui/code/json.tsx";
import { Paged } from "../../ui/pager.tsx";
import { Empty } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { ADMIN } from "../../texts/catalogs.ts";

type Entry = ResponseBody<"GET /admin/audit">["data"][number];
const TONES: Record<Entry["outcome"], Tone> = { done: "good", refused: "bad", unknown: "attention" };

export function Audit() {
  const texts = useTexts(ADMIN).audit;
  const [actor] = useFilter("actor");
  const [action] = useFilter("action");
  const [target] = useFilter("target");
  const result = usePages("GET /admin/audit", withoutEmpty({ actor, action, target }));
  return (
    <>
      <div>
        <PageTitle>{texts.title}</PageTitle>
        <p className="text-soft">{texts.about}</p>
      </div>
      <search className="flex flex-wrap items-end gap-2">
        <FilterSearch name="actor" label={texts.searchActor} />
        <FilterSelect
          name="action"
          label={texts.act}
          every={texts.everyAction}
          options={Object.entries(texts.acts).map(([value, label]) => ({ value, label }))}
        />
        <FilterSearch name="target" label={texts.searchTarget} />
      </search>
      <section aria-label={texts.list} className="min-w-0 rounded-lg bg-surface">
        <Paged
          result={result}
          lines={8}
          empty={actor + action + target === "" ? <Empty icon={ScrollText} title={texts.empty} /> : <Empty title={texts.none} />}
        >
          {(entries) => <Rows caption={texts.list} rows={entries} keyOf={({ id }) => id} columns={columnsOf(texts)} />}
        </Paged>
      </section>
    </>
  );
}

type AuditTexts = TextsOf<typeof ADMIN>["audit"];

function columnsOf(texts: AuditTexts) {
  return [
    { id: "at", header: texts.at, cell: ({ at }: Entry) => <When time={at} /> },
    {
      id: "actor",
      header: texts.actor,
      cell: ({ actor }: Entry) => <span className="break-all">{actor.email ?? (actor.id === "settings" ? texts.settings : actor.id)}</span>,
    },
    {
      id: "act",
      header: texts.act,
      cell: ({ action }: Entry) => (
        <>
          {texts.acts[action]} <code className="block font-mono text-sm break-all text-soft">{action}</code>
        </>
      ),
    },
    { id: "target", header: texts.target, cell: (entry: Entry) => <Target {...entry} /> },
    { id: "why", header: texts.why, cell: ({ reason }: Entry) => <span className="break-words">{reason ?? "–"}</span> },
    {
      id: "outcome",
      header: texts.outcome,
      cell: ({ outcome, failure }: Entry) => (
        <>
          <Badge tone={TONES[outcome]}>{texts.outcomes[outcome]}</Badge>
          {failure !== null && <code className="block font-mono text-sm break-all text-soft">{failure}</code>}
        </>
      ),
    },
    {
      id: "details",
      header: texts.details,
      cell: ({ before, after }: Entry) =>
        before === null && after === null ? (
          "–"
        ) : (
          <details className="min-w-0">
            <summary className="min-h-6 cursor-pointer text-accent">{texts.show}</summary>
            <div className="grid min-w-0 gap-2 py-2 text-left">
              <p className="text-sm font-semibold">{texts.before}</p>
              <Json text={JSON.stringify(before)} />
              <p className="text-sm font-semibold">{texts.after}</p>
              <Json text={JSON.stringify(after)} />
            </div>
          </details>
        ),
    },
  ];
}

/** The log contains only the target's id, so this links to the page that shows its name. */
function Target({ action, target }: Entry) {
  const id = <code className="font-mono text-code break-all">{target}</code>;
  const className = "underline underline-offset-2";
  if (target === "") return "–";
  if (/User$|^setSubscription$/.test(action)) {
    return (
      <Link to="/admin/users" search={{ user: target } as never} className={className}>
        {id}
      </Link>
    );
  }
  if (!/Instance$|^assignProxy$/.test(action)) return id;
  return (
    <Link to="/admin/instances" search={{ q: target } as never} className={className}>
      {id}
    </Link>
  );
}
