import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { refresh, useLeaving } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { Panel } from "../../ui/panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Connection } from "./behaviour.tsx";

export function Guest({ connection: { id }, role }: { connection: Pick<Connection, "id">; role: "operator" | "viewer" }) {
  const texts = useTexts(SETTINGS).people;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const leaving = useLeaving(async () => {
    await api("DELETE /connections/{id}/shares/mine", { id });
    await navigate({ to: "/connections" });
    await refresh(client, ["GET /connections"]);
    toast(texts.left);
  });
  return (
    <Panel title={texts.guest}>
      <p>{texts.guestAs[role]}</p>
      <p className="text-soft">{texts.guestKeys}</p>
      <Button kind="danger" className="justify-self-start" onClick={() => setAsked(true)}>
        {texts.leave}
      </Button>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        title={texts.leaveTitle}
        lost={<p>{texts.leaveText}</p>}
        action={texts.leave}
        onConfirm={() => leaving.mutateAsync()}
      />
    </Panel>
  );
}
