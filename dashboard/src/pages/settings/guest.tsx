import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { refresh, useLeaving } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { Panel } from "../../ui/panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { SETTINGS } from "../../words/areas.ts";
import { useWords } from "../../words/words.ts";
import type { Connection } from "./behaviour.tsx";

export function Guest({ connection: { id }, role }: { connection: Pick<Connection, "id">; role: "operator" | "viewer" }) {
  const words = useWords(SETTINGS).people;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const leaving = useLeaving(async () => {
    await api("DELETE /connections/{id}/shares/mine", { id });
    await navigate({ to: "/connections" });
    await refresh(client, ["GET /connections"]);
    toast(words.left);
  });
  return (
    <Panel title={words.guest}>
      <p>{words.guestAs[role]}</p>
      <p className="text-soft">{words.guestKeys}</p>
      <Button kind="danger" className="justify-self-start" onClick={() => setAsked(true)}>
        {words.leave}
      </Button>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        title={words.leaveTitle}
        lost={<p>{words.leaveText}</p>}
        action={words.leave}
        onConfirm={() => leaving.mutateAsync()}
      />
    </Panel>
  );
}
