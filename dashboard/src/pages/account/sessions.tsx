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
import { ACCOUNT } from "../../words/areas.ts";
import { useWords } from "../../words/words.ts";

type Session = Answer<"GET /sessions">["data"][number];

export function Sessions() {
  const words = useWords(ACCOUNT).sessions;
  const sessions = useQuery(reading("GET /sessions", {}));
  const endOthers = useChange("DELETE /sessions", ["GET /sessions"]);
  const [asked, setAsked] = useState(false);
  const others = sessions.data?.data.filter(({ current }) => !current).length;
  return (
    <Panel
      title={words.title}
      about={words.about}
      flush
      actions={
        <Button why={others === 0 ? words.noOthers : undefined} disabled={others === undefined} onClick={() => setAsked(true)}>
          {words.endOthers}
        </Button>
      }
    >
      <Query result={sessions}>{({ data }) => <SessionRows sessions={data} />}</Query>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        title={words.endOthersTitle}
        lost={<p>{words.endOthersText}</p>}
        action={words.endOthers}
        onConfirm={async () => {
          const { data } = await endOthers.mutateAsync({});
          toast(words.endedOthers(data.count));
        }}
      />
    </Panel>
  );
}

function SessionRows({ sessions }: { sessions: readonly Session[] }) {
  const words = useWords(ACCOUNT).sessions;
  const end = useChange("DELETE /sessions/{session_id}", ["GET /sessions"]);
  const nameOf = ({ browser, system }: Session) =>
    browser !== null && system !== null ? words.on(browser, system) : (browser ?? system ?? words.unknown);
  const columns: readonly Column<Session>[] = [
    {
      id: "device",
      header: words.device,
      cell: (session) => (
        <span className="flex flex-wrap items-center gap-2">
          {nameOf(session)}
          {session.current && <Badge tone="good">{words.current}</Badge>}
        </span>
      ),
    },
    { id: "since", header: words.since, cell: ({ created_at: at }) => <When time={at} /> },
    { id: "used", header: words.used, cell: ({ last_used_at: at }) => <When time={at} /> },
    { id: "expires", header: words.expires, wideOnly: true, cell: ({ expires_at: at }) => <When time={at} /> },
    {
      id: "end",
      header: words.actions,
      headerHidden: true,
      cell: (session) =>
        session.current ? null : (
          <Button
            aria-label={words.endOf(nameOf(session))}
            busy={end.isPending && end.variables.session_id === session.id}
            onClick={() => end.mutate({ session_id: session.id }, { onSuccess: () => toast(words.ended) })}
          >
            {words.end}
          </Button>
        ),
    },
  ];
  return (
    <>
      <Rows caption={words.title} columns={columns} rows={sessions} keyOf={({ id }) => id} />
      <div className="px-4">
        <FormError refused={end.error} />
      </div>
    </>
  );
}
