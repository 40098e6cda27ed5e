// Who did what with the connection, newest first.
import { useInfiniteQuery } from "@tanstack/react-query";
import { type Answer, api } from "../../api/client.ts";
import { Paged } from "../../ui/pager.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty } from "../../ui/states.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { SETTINGS } from "../../words/areas.ts";
import { useWords } from "../../words/words.ts";
import type { Connection } from "./behaviour.tsx";

type Act = Answer<"GET /connections/{id}/audit">["data"][number];

export function Acts({ connection: { id } }: { connection: Pick<Connection, "id"> }) {
  const words = useWords(SETTINGS).acts;
  const acts = useInfiniteQuery({
    queryKey: ["GET /connections/{id}/audit", { id }],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api("GET /connections/{id}/audit", { id, ...(pageParam === undefined ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const whoOf = ({ by }: Act): string => {
    if (by.kind === "user") return by.email ?? words.gone;
    if (by.kind === "gateway") return words.gateway;
    if (by.kind === "pairing_link") return words.link(by.key ?? "");
    if (by.key === null) return words.unnamedKey;
    return by.kind === "account_key" ? words.accountKey(by.key) : words.key(by.key);
  };
  const columns: readonly Column<Act>[] = [
    { id: "what", header: words.what, cell: ({ act, subject }) => <span className="break-words">{words.act[act](subject ?? "")}</span> },
    { id: "who", header: words.who, cell: (act) => <span className="break-all">{whoOf(act)}</span> },
    { id: "when", header: words.when, cell: ({ at }) => <When time={at} /> },
  ];
  return (
    <Panel title={words.title} about={words.about} flush>
      <Paged result={acts} empty={<Empty title={words.none} />}>
        {(rows) => <Rows caption={words.title} columns={columns} rows={rows} keyOf={(act) => act.id} />}
      </Paged>
    </Panel>
  );
}
