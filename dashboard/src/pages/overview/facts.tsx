// What is known of the connection, with its ids to copy.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Answer, reading } from "../../api/client.ts";
import { useFrames } from "../../api/live.ts";
import { CopyButton } from "../../ui/code/copy.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { When } from "../../ui/when.tsx";
import { useWords } from "../../words/words.ts";
import { OVERVIEW } from "../../words/areas.ts";

/** Of the connection of these pages. */
export type Whole = Answer<"GET /connections/{id}">["data"];

export function Facts({ connection }: { connection: Whole }) {
  const words = useWords(OVERVIEW).facts;
  const { id, instance_id, phone, profile_name, last_inbound_at, status, status_changed_at, lacks } = connection;
  const history = useQuery({
    ...reading("GET /connections/{id}/history", { id }),
    enabled: !lacks.includes("history") && status === "connected",
  });
  useFrames(({ type }) => {
    if (type === "history") void history.refetch();
  });
  const synced = history.data?.data;
  return (
    <Panel title={words.title}>
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        <Fact name={words.phone}>
          {phone === null ? <span className="text-soft">{words.noPhone}</span> : <PhoneNumber digits={phone} />}
        </Fact>
        {profile_name !== null && (
          <Fact name={words.profile}>
            <span className="private break-words">{profile_name}</span>
          </Fact>
        )}
        {status === "connected" && (
          <Fact name={words.connectedSince}>
            <When time={status_changed_at} />
          </Fact>
        )}
        <Fact name={words.lastInbound}>
          <When time={last_inbound_at} />
        </Fact>
        {synced !== undefined && (
          <Fact name={words.history}>
            {synced.state === "running" || synced.state === "paused"
              ? words.syncing(synced.progress)
              : words.synced(synced.chats, synced.messages)}
          </Fact>
        )}
        <Fact name={words.id}>
          <code>{id}</code>
          <CopyButton value={String(id)} label={words.copyId} iconOnly />
        </Fact>
        <Fact name={words.instance} wide>
          <code className="break-all">{instance_id}</code>
          <CopyButton value={instance_id} label={words.copyInstance} iconOnly />
        </Fact>
      </dl>
    </Panel>
  );
}

export function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={`min-w-0 ${wide ? "sm:col-span-2" : ""}`}>
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="flex flex-wrap items-center gap-x-2">{children}</dd>
    </div>
  );
}
