// The session bridges: what each runs and carries, and how one is taken out of service.
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Answer } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { ADMIN } from "../../words/areas.ts";
import { useWords } from "../../words/words.ts";
import { ActDialog } from "./act.tsx";

type Answered = Answer<"GET /admin/bridges">;
type Bridge = Answered["data"][number];
type Words = Awaited<ReturnType<typeof ADMIN.load>>;

type BridgesProps = {
  result: UseQueryResult<Answered>;
  /** The build that has a share of its own; null: none. */
  shared: string | null;
};

export function Bridges({ result, shared }: BridgesProps) {
  const words = useWords(ADMIN).bridges;
  const [draining, setDraining] = useState<Bridge | null>(null);
  return (
    <Panel title={words.title} flush>
      <Query result={result}>
        {({ data }) =>
          data.length === 0 ? <Empty title={words.none} /> : <BridgeRows bridges={data} shared={shared} onDrain={setDraining} />
        }
      </Query>
      {draining !== null && (
        <ActDialog
          title={draining.id}
          action={words.drain}
          danger
          onClose={() => setDraining(null)}
          stale={["GET /admin/bridges", "GET /admin/fleet", "GET /admin/instances"]}
          onAct={({ reason, click }) => api("POST /admin/bridges/{bridge_id}/drain", { bridge_id: draining.id, reason }, { click })}
        >
          <p>{words.drainLost}</p>
        </ActDialog>
      )}
    </Panel>
  );
}

type RowsProps = { bridges: readonly Bridge[]; shared: string | null; onDrain: (bridge: Bridge) => void };

function BridgeRows({ bridges, shared, onDrain }: RowsProps) {
  const words = useWords(ADMIN);
  return <Rows caption={words.bridges.title} rows={bridges} keyOf={({ id }) => id} columns={columns(words, shared, onDrain)} />;
}

function columns({ bridges: words, statistics }: Words, shared: string | null, onDrain: (bridge: Bridge) => void) {
  return [
    { id: "bridge", header: words.bridge, cell: ({ id }: Bridge) => <span className="font-semibold break-words">{id}</span> },
    {
      id: "state",
      header: words.state,
      cell: ({ connected, draining }: Bridge) => (
        <Badge tone={!connected ? "bad" : draining ? "attention" : "good"}>
          {!connected ? words.away : draining ? words.draining : words.connected}
        </Badge>
      ),
    },
    {
      id: "build",
      header: words.build,
      cell: ({ build }: Bridge) => (
        <span className="inline-flex flex-wrap items-center justify-end gap-x-2 gap-y-1 @[45rem]:justify-start">
          <span className="break-words">{build ?? "–"}</span>
          {shared !== null && (
            <Badge tone={build === shared ? "info" : "neutral"}>{build === shared ? words.ringNew : words.ringOther}</Badge>
          )}
        </span>
      ),
    },
    {
      id: "version",
      header: words.version,
      cell: ({ client_version: announced }: Bridge) =>
        announced === null ? "–" : `${announced.version} (${words.sources[announced.source]})`,
    },
    {
      id: "load",
      header: words.load,
      numeric: true,
      cell: ({ sessions, capacity }: Bridge) => <Whole>{words.of(sessions, capacity)}</Whole>,
    },
    { id: "memory", header: words.memory, numeric: true, cell: ({ rss_mb }: Bridge) => <Whole>{statistics.mb(rss_mb)}</Whole> },
    {
      id: "drain",
      header: words.drain,
      headerHidden: true,
      cell: (bridge: Bridge) => (
        <Button kind="danger" aria-label={words.drainOf(bridge.id)} disabled={bridge.draining} onClick={() => onDrain(bridge)}>
          {words.drain}
        </Button>
      ),
    },
  ];
}

function Whole({ children }: { children: string }) {
  return <span className="whitespace-nowrap">{children}</span>;
}
