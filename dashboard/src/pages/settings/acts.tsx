import { useInfiniteQuery } from "@tanstack/react-query";
import { type Answer, api } from "../../api/client.ts";
import { Paged } from "../../ui/pager.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty } from "../../ui/states.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Connection } from "./behaviour.tsx";

type Act = Answer<"GET /connections/{id}/audit">["data"][number];

export function Acts({ connection: { id } }: { connection: Pick<Connection, "id"> }) {
  const texts = useTexts(SETTINGS).acts;
  const acts = useInfiniteQuery({
    queryKey: ["GET /connections/{id}/audit", { id }],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api("GET /connections/{id}/audit", { id, ...(pageParam === undefined ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const whoOf = ({ by }: Act): string => {
    if (by.kind === "user") return by.email ?? texts.gone;
    if (by.kind === "gateway") return texts.gateway;
    if (by.kind === "pairing_link") return texts.link(by.key ?? "");
    if (by.key === null) return texts.unnamedKey;
    return by.kind === "account_key" ? texts.accountKey(by.key) : texts.key(by.key);
  };
  const columns: readonly Column<Act>[] = [
    { id: "what", header: texts.what, cell: ({ act, subject }) => <span className="break-words">{texts.act[act](subject ?? "")}</span> },
    { id: "who", header: texts.who, cell: (act) => <span className="break-all">{whoOf(act)}</span> },
    { id: "when", header: texts.when, cell: ({ at }) => <When time={at} /> },
  ];
  return (
    <Panel title={texts.title} about={texts.about} flush>
      <Paged result={acts} empty={<Empty title={texts.none} />}>
        {(rows) => <Rows caption={texts.title} columns={columns} rows={rows} keyOf={(act) => act.id} />}
      </Paged>
    </Panel>
  );
}
