import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { refresh, useLeaving } from "../../api/cache.ts";
import { api, reading } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { Panel } from "../../ui/panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Connection } from "./behaviour.tsx";

export function RemoveConnection({ connection: { id, name } }: { connection: Pick<Connection, "id" | "name"> }) {
  const texts = useTexts(SETTINGS).remove;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const leaving = useLeaving(async () => {
    await api("DELETE /connections/{id}", { id });
    await navigate({ to: "/connections" });
    await refresh(client, ["GET /connections", "GET /me"]);
    toast(texts.removed(name));
  });
  return (
    <Panel title={texts.title} about={texts.about}>
      <Button kind="danger" className="justify-self-start" onClick={() => setAsked(true)}>
        {texts.button}
      </Button>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        title={texts.dialog(name)}
        lost={<Lost id={id} />}
        typed={name}
        action={texts.button}
        onConfirm={() => leaving.mutateAsync()}
      />
    </Panel>
  );
}

function Lost({ id }: { id: number }) {
  const texts = useTexts(SETTINGS).remove;
  const keys = useQuery(reading("GET /connections/{id}/keys", { id })).data?.data;
  const webhook = useQuery(reading("GET /connections/{id}/webhook", { id })).data?.data;
  const people = useQuery(reading("GET /connections/{id}/shares", { id })).data?.data;
  const used = keys?.flatMap(({ last_used_at: at }) => (at === null ? [] : [at])).sort((a, b) => b.localeCompare(a))[0];
  return (
    <>
      <p className="font-semibold">{texts.lostTitle}</p>
      <ul className="grid list-disc gap-1 pl-5">
        <li>{texts.history}</li>
        {keys !== undefined && (
          <li>
            {texts.keys(keys.length)}{" "}
            {used !== undefined && (
              <>
                {texts.lastUsed} <When time={used} />
              </>
            )}
          </li>
        )}
        {webhook !== undefined && <li>{webhook === null ? texts.noWebhook : texts.webhook(new URL(webhook.url).host)}</li>}
        {people !== undefined && <li>{texts.people(people.length)}</li>}
        <li>{texts.pairing}</li>
      </ul>
    </>
  );
}
