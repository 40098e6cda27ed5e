import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useRouteContext } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { reading } from "../api/client.ts";
import { StatusIcon } from "../ui/status.tsx";
import { Popover } from "../ui/floating/popover.tsx";
import { Query } from "../ui/states.tsx";
import { UI, SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";

const LISTED = 25;
const CHOICE =
  "flex min-h-11 items-center gap-2.5 rounded-md px-3 py-1 hover:bg-tint aria-[current=page]:bg-tint aria-[current=page]:font-semibold focus-visible:-outline-offset-2 pointer-fine:min-h-9";

export function useConnection() {
  const { id } = useParams({ strict: false });
  const { data, isError } = useQuery({ ...reading("GET /connections/{id}", { id: id ?? "" }), enabled: id !== undefined });
  // A connection that does not exist has no sections to show.
  return id === undefined || (isError && data === undefined)
    ? undefined
    : { id, record: data?.data.id === Number(id) ? data.data : undefined };
}

export function Switcher({ className = "" }: { className?: string }) {
  const texts = useTexts(SHELL);
  const statuses = useTexts(UI).status;
  const chosen = useConnection();
  const { user } = useRouteContext({ from: "/in" });
  const record = chosen?.record;
  const name = chosen === undefined ? texts.allConnections : (record?.name ?? texts.unnamed);
  const label = (
    <span className="flex min-w-0 items-center gap-2">
      {record !== undefined && <StatusIcon status={record.status} />}
      <span className="truncate">{name}</span>
      {record !== undefined && <span className="sr-only">{statuses[record.status ?? "unknown"]}</span>}
    </span>
  );
  return (
    <Popover
      label={label}
      name={`${texts.chooseConnection}: ${name}`}
      kind="plain"
      className={`min-w-0 !justify-start !px-3 ${className}`}
      panelClass="w-72"
    >
      {(close) => (
        <nav aria-label={texts.chooseConnection} className="grid grid-cols-1">
          <Link to="/connections" activeOptions={{ exact: true }} onClick={close} className={CHOICE}>
            {texts.allConnections}
          </Link>
          {user.role === "admin" && (
            <Link to="/admin/now" onClick={close} className={CHOICE}>
              {texts.now}
            </Link>
          )}
          <Listed close={close} />
          <Link to="/connections" search={{ new: true } as never} onClick={close} className={`${CHOICE} mt-1 border-t border-line`}>
            <Plus size={16} aria-hidden />
            {texts.newConnection}
          </Link>
        </nav>
      )}
    </Popover>
  );
}

/** Refetched each time the list is opened, because no stream updates it. */
function Listed({ close }: { close: () => void }) {
  const texts = useTexts(SHELL);
  const statuses = useTexts(UI).status;
  const list = useQuery({ ...reading("GET /connections", { limit: LISTED }), staleTime: 0 });
  return (
    <Query result={list}>
      {({ data, next_cursor }) => (
        <>
          {data.map((connection) => (
            <Link key={connection.id} to="/connections/$id" params={{ id: String(connection.id) }} onClick={close} className={CHOICE}>
              <StatusIcon status={connection.status} />
              <span className="min-w-0 truncate">{connection.name}</span>
              <span className="sr-only">{statuses[connection.status ?? "unknown"]}</span>
            </Link>
          ))}
          {next_cursor !== null && (
            <Link to="/connections" onClick={close} className={`${CHOICE} text-soft`}>
              {texts.moreConnections}
            </Link>
          )}
        </>
      )}
    </Query>
  );
}
