// What administrators did, with who and why.
import { given, usePages } from "../../api/pages.ts";
import type { Answer } from "../../api/client.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { FilterSearch, useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Json } from "../../ui/code/json.tsx";
import { Paged } from "../../ui/pager.tsx";
import { Empty } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { useWords } from "../../words/words.ts";
import { ADMIN } from "../../words/areas.ts";

type Entry = Answer<"GET /admin/audit">["data"][number];
const TONES: Record<Entry["outcome"], Tone> = { done: "good", refused: "bad", unknown: "attention" };

export function Audit() {
  const words = useWords(ADMIN).audit;
  const [actor] = useFilter("actor");
  const [action] = useFilter("action");
  const [target] = useFilter("target");
  const result = usePages("GET /admin/audit", given({ actor, action, target }));
  return (
    <>
      <div>
        <PageTitle>{words.title}</PageTitle>
        <p className="text-soft">{words.about}</p>
      </div>
      <search className="flex flex-wrap gap-2">
        <FilterSearch name="actor" label={words.searchActor} />
        <FilterSearch name="action" label={words.searchAction} />
        <FilterSearch name="target" label={words.searchTarget} />
      </search>
      <section aria-label={words.list} className="min-w-0 rounded-md border border-line bg-surface">
        <Paged result={result} lines={8} empty={<Empty title={actor + action + target === "" ? words.empty : words.none} />}>
          {(entries) => <Rows caption={words.list} rows={entries} keyOf={({ id }) => id} columns={columnsOf(words)} />}
        </Paged>
      </section>
    </>
  );
}

type AuditWords = Awaited<ReturnType<typeof ADMIN.load>>["audit"];

function columnsOf(words: AuditWords) {
  return [
    { id: "at", header: words.at, cell: ({ at }: Entry) => <When time={at} /> },
    {
      id: "actor",
      header: words.actor,
      cell: ({ actor }: Entry) => <span className="break-all">{actor.email ?? (actor.id === "settings" ? words.settings : actor.id)}</span>,
    },
    {
      id: "act",
      header: words.act,
      cell: ({ action }: Entry) => (
        <>
          {words.acts[action]} <code className="block font-mono text-sm break-all text-soft">{action}</code>
        </>
      ),
    },
    { id: "target", header: words.target, cell: ({ target }: Entry) => <code className="font-mono text-code break-all">{target}</code> },
    { id: "why", header: words.why, cell: ({ reason }: Entry) => <span className="break-words">{reason ?? "–"}</span> },
    {
      id: "outcome",
      header: words.outcome,
      cell: ({ outcome, failure }: Entry) => (
        <Badge tone={TONES[outcome]}>
          {words.outcomes[outcome]}
          {failure === null ? "" : `: ${failure}`}
        </Badge>
      ),
    },
    {
      id: "details",
      header: words.details,
      cell: ({ before, after }: Entry) =>
        before === null && after === null ? (
          "–"
        ) : (
          <details className="min-w-0">
            <summary className="min-h-6 cursor-pointer text-accent">{words.details}</summary>
            <div className="grid min-w-0 gap-2 py-2 text-left">
              <p className="text-sm font-semibold">{words.before}</p>
              <Json text={JSON.stringify(before)} />
              <p className="text-sm font-semibold">{words.after}</p>
              <Json text={JSON.stringify(after)} />
            </div>
          </details>
        ),
    },
  ];
}
