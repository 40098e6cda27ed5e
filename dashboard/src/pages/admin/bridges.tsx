import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { api, type ResponseBody } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { ADMIN } from "../../texts/catalogs.ts";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { ActionDialog } from "./action-dialog.tsx";

type Answered = ResponseBody<"GET /admin/bridges">;
type Bridge = Answered["data"][number];
type Texts = TextsOf<typeof ADMIN>;

const CALLS = { drain: "POST /admin/bridges/{bridge_id}/drain", restart: "POST /admin/bridges/{bridge_id}/restart" } as const;

type Opened = { act: keyof typeof CALLS; bridge: Bridge };

type BridgesProps = {
  result: UseQueryResult<Answered>;
  shared: string | null;
};

export function Bridges({ result, shared }: BridgesProps) {
  const texts = useTexts(ADMIN).bridges;
  const [opened, setOpened] = useState<Opened | null>(null);
  return (
    <Panel id="bridges" title={texts.title} flush>
      <Query result={result}>
        {({ data }) =>
          data.length === 0 ? <Empty title={texts.none} /> : <BridgeRows bridges={data} shared={shared} onOpen={setOpened} />
        }
      </Query>
      {opened !== null && (
        <ActionDialog
          title={opened.bridge.id}
          action={texts[opened.act]}
          danger
          onClose={() => setOpened(null)}
          stale={["GET /admin/bridges", "GET /admin/fleet", "GET /admin/instances"]}
          onConfirm={({ reason, idempotencyKey }) => api(CALLS[opened.act], { bridge_id: opened.bridge.id, reason }, { idempotencyKey })}
        >
          <p>{opened.act === "drain" ? texts.drainLost : texts.restartLost}</p>
        </ActionDialog>
      )}
    </Panel>
  );
}

type RowsProps = { bridges: readonly Bridge[]; shared: string | null; onOpen: (opened: Opened) => void };

function BridgeRows({ bridges, shared, onOpen }: RowsProps) {
  const texts = useTexts(ADMIN);
  return <Rows caption={texts.bridges.title} rows={bridges} keyOf={({ id }) => id} columns={columns(texts, shared, onOpen)} />;
}

function columns({ bridges: texts, statistics }: Texts, shared: string | null, onOpen: RowsProps["onOpen"]) {
  return [
    { id: "bridge", header: texts.bridge, cell: ({ id }: Bridge) => <span className="font-semibold break-words">{id}</span> },
    {
      id: "state",
      header: texts.state,
      cell: ({ connected, draining }: Bridge) => (
        <Badge tone={!connected ? "bad" : draining ? "attention" : "good"}>
          {!connected ? texts.away : draining ? texts.draining : texts.connected}
        </Badge>
      ),
    },
    {
      id: "build",
      header: texts.build,
      cell: ({ build }: Bridge) => (
        <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="break-words">{build ?? "–"}</span>
          {shared !== null && (
            <Badge tone={build === shared ? "info" : "neutral"}>{build === shared ? texts.inRollout : texts.notInRollout}</Badge>
          )}
        </span>
      ),
    },
    {
      id: "version",
      header: texts.version,
      cell: ({ client_version: announced }: Bridge) =>
        announced === null ? "–" : <span className="break-words">{`${announced.version} (${texts.sources[announced.source]})`}</span>,
    },
    {
      id: "load",
      header: texts.load,
      numeric: true,
      cell: ({ sessions, capacity }: Bridge) => <Whole>{texts.of(sessions, capacity)}</Whole>,
    },
    { id: "memory", header: texts.memory, numeric: true, cell: ({ rss_mb }: Bridge) => <Whole>{statistics.mb(rss_mb)}</Whole> },
    {
      id: "actions",
      header: texts.actions,
      headerHidden: true,
      cell: (bridge: Bridge) => (
        <Menu
          label={texts.actions}
          name={texts.actionsOf(bridge.id)}
          align="end"
          items={[
            {
              label: texts.drain,
              danger: true,
              onSelect: () => onOpen({ act: "drain", bridge }),
              ...(bridge.draining ? { why: texts.draining } : {}),
            },
            {
              label: texts.restart,
              danger: true,
              onSelect: () => onOpen({ act: "restart", bridge }),
              ...(bridge.container ? {} : { why: texts.elsewhere }),
            },
          ]}
        />
      ),
    },
  ];
}

function Whole({ children }: { children: string }) {
  return <span className="whitespace-nowrap">{children}</span>;
}
