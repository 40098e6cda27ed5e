import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useChange } from "../../api/cache.ts";
import { type Answer, reading } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Query } from "../../ui/states.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { ACCOUNT } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

type Session = Answer<"GET /sessions">["data"][number];

export function Sessions() {
  const texts = useTexts(ACCOUNT).sessions;
  const sessions = useQuery(reading("GET /sessions", {}));
  const endOthers = useChange("DELETE /sessions", ["GET /sessions"]);
  const [asked, setAsked] = useState(false);
  const others = sessions.data?.data.filter(({ current }) => !current).length;
  return (
    <Panel
      title={texts.title}
      about={texts.about}
      flush
      actions={
        <Button why={others === 0 ? texts.noOthers : undefined} disabled={others === undefined} onClick={() => setAsked(true)}>
          {texts.endOthers}
        </Button>
      }
    >
      <Query result={sessions}>{({ data }) => <SessionRows sessions={data} />}</Query>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        title={texts.endOthersTitle}
        lost={<p>{texts.endOthersText}</p>}
        action={texts.endOthers}
        onConfirm={async () => {
          const { data } = await endOthers.mutateAsync({});
          toast(texts.endedOthers(data.count));
        }}
      />
    </Panel>
  );
}

function SessionRows({ sessions }: { sessions: readonly Session[] }) {
  const texts = useTexts(ACCOUNT).sessions;
  const end = useChange("DELETE /sessions/{session_id}", ["GET /sessions"]);
  const nameOf = ({ browser, system }: Session) =>
    browser !== null && system !== null ? texts.on(browser, system) : (browser ?? system ?? texts.unknown);
  const columns: readonly Column<Session>[] = [
    {
      id: "device",
      header: texts.device,
      cell: (session) => (
        <span className="flex flex-wrap items-center gap-2">
          {nameOf(session)}
          {session.current && <Badge tone="good">{texts.current}</Badge>}
        </span>
      ),
    },
    { id: "since", header: texts.since, cell: ({ created_at: at }) => <When time={at} /> },
    { id: "used", header: texts.used, cell: ({ last_used_at: at }) => <When time={at} /> },
    { id: "expires", header: texts.expires, wideOnly: true, cell: ({ expires_at: at }) => <When time={at} /> },
    {
      id: "end",
      header: texts.actions,
      headerHidden: true,
      cell: (session) =>
        session.current ? null : (
          <Button
            aria-label={texts.endOf(nameOf(session))}
            busy={end.isPending && end.variables.session_id === session.id}
            onClick={() => end.mutate({ session_id: session.id }, { onSuccess: () => toast(texts.ended) })}
          >
            {texts.end}
          </Button>
        ),
    },
  ];
  return (
    <>
      <Rows caption={texts.title} columns={columns} rows={sessions} keyOf={({ id }) => id} />
      <div className="px-4">
        <FormError refused={end.error} />
      </div>
    </>
  );
}
