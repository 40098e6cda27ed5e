import { useQuery } from "@tanstack/react-query";
import { type ResponseBody, reading } from "../../api/client.ts";
import { useFrames } from "../../api/live.ts";
import { CopyButton } from "../../ui/code/copy.tsx";
import { Fact } from "../../ui/facts.tsx";
import { Panel } from "../../ui/panel.tsx";
import { OwnPhone } from "../../ui/phone.tsx";
import { When } from "../../ui/when.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { OVERVIEW } from "../../texts/catalogs.ts";

export type Connection = ResponseBody<"GET /connections/{id}">["data"];

/** `isNew`: the number was never connected, so there is nothing to say about it yet. */
export function Facts({ connection, isNew }: { connection: Connection; isNew: boolean }) {
  const texts = useTexts(OVERVIEW).facts;
  const { id, instance_id, phone, last_phone, profile_name, last_inbound_at, status, status_changed_at, lacks } = connection;
  const history = useQuery({
    ...reading("GET /connections/{id}/history", { id: String(id) }),
    enabled: !lacks.includes("history") && status === "connected",
  });
  useFrames(({ type }) => {
    if (type === "history") void history.refetch();
  });
  const synced = history.data?.data;
  return (
    <Panel title={texts.title}>
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-6 gap-y-3 sm:grid-cols-2">
        {!isNew && (
          <Fact name={texts.phone}>
            <OwnPhone digits={phone} last={last_phone} none={texts.noPhone} />
          </Fact>
        )}
        {profile_name !== null && (
          <Fact name={texts.profile}>
            <span className="private break-words">{profile_name}</span>
          </Fact>
        )}
        {status === "connected" && (
          <Fact name={texts.connectedSince}>
            <When time={status_changed_at} />
          </Fact>
        )}
        {!isNew && (
          <Fact name={texts.lastInbound}>
            <When time={last_inbound_at} />
          </Fact>
        )}
        {synced !== undefined && (
          <Fact name={texts.history}>
            {synced.state === "running" || synced.state === "paused"
              ? texts.syncing(synced.progress)
              : texts.synced(synced.chats, synced.messages)}
          </Fact>
        )}
        <Fact name={texts.id}>
          <code>{id}</code>
          <CopyButton value={String(id)} label={texts.copyId} iconOnly />
        </Fact>
        <Fact name={texts.instance} wide={!isNew}>
          <span className="flex min-w-0 items-center gap-x-2">
            <code className="min-w-0 break-all">{instance_id}</code>
            <CopyButton value={instance_id} label={texts.copyInstance} iconOnly />
          </span>
        </Fact>
      </dl>
    </Panel>
  );
}
