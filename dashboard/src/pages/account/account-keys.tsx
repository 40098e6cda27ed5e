// Account keys. A new key's value exists only in this component's state.
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { LIMITS } from "@gateway/domain/limits.ts";
import { useChange } from "../../api/cache.ts";
import { type Answer, reading } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { Code, Mono } from "../../ui/code/code.tsx";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SecretOnce } from "../../ui/code/secret-once.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { snippet } from "../../domain/snippets.ts";
import { ACCOUNT } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { NewAccountKey } from "./new-account-key.tsx";

type Key = Answer<"GET /account-keys">["data"][number];

export function AccountKeys() {
  const texts = useTexts(ACCOUNT).keys;
  const keys = useQuery(reading("GET /account-keys", {}));
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const isFull = (keys.data?.data.length ?? 0) >= LIMITS.accountKeys;
  const make = (
    <Button kind="primary" icon={Plus} why={isFull ? texts.limit(LIMITS.accountKeys) : undefined} onClick={() => setMaking(true)}>
      {texts.make}
    </Button>
  );
  return (
    <Panel title={texts.title} about={texts.about} flush actions={make}>
      <Query result={keys}>
        {({ data }) => (data.length === 0 ? <Empty title={texts.none} text={texts.noneText} /> : <KeyRows keys={data} />)}
      </Query>
      <NewAccountKey
        open={making}
        onClose={() => setMaking(false)}
        onMade={(key) => {
          setMaking(false);
          setMade(key);
        }}
      />
      {made !== null && (
        <SecretOnce
          title={texts.secretTitle}
          value={made}
          onStored={() => setMade(null)}
          how={
            <>
              <p>{texts.secretHow}</p>
              <Code lang="curl" text={snippet("curl", { method: "GET", url: `${location.origin}/api/instances` }, made)} />
            </>
          }
        />
      )}
    </Panel>
  );
}

function KeyRows({ keys }: { keys: readonly Key[] }) {
  const texts = useTexts(ACCOUNT).keys;
  const now = useNow();
  const remove = useChange("DELETE /account-keys/{key_id}", ["GET /account-keys"]);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const columns: readonly Column<Key>[] = [
    {
      id: "name",
      header: texts.name,
      cell: ({ name, prefix }) => (
        <span className="grid min-w-0">
          <span className="font-semibold break-words">{name}</span>
          <span className="text-sm whitespace-nowrap text-soft">
            <Mono>{prefix}…</Mono>
          </span>
        </span>
      ),
    },
    { id: "scopes", header: texts.scopes, cell: ({ scopes }) => scopes.map((scope) => texts.scope[scope].label).join(", ") },
    {
      id: "reach",
      header: texts.reach,
      cell: ({ instance_ids: reach }) => (reach === null ? texts.everything : texts.some(reach.length)),
    },
    { id: "created", header: texts.created, wideOnly: true, cell: ({ created_at: at }) => <When time={at} /> },
    { id: "used", header: texts.used, cell: ({ last_used_at: at }) => <When time={at} /> },
    {
      id: "expires",
      header: texts.expires,
      cell: ({ expires_at: at }) =>
        at !== null && Date.parse(at) <= now ? (
          <span className="font-semibold text-attention">{texts.expired}</span>
        ) : (
          <When time={at} none={texts.neverExpires} />
        ),
    },
    {
      id: "revoke",
      header: texts.actions,
      headerHidden: true,
      cell: (key) => (
        <Button kind="danger" aria-label={texts.revokeOf(key.name)} onClick={() => setRevoking(key)}>
          {texts.revoke}
        </Button>
      ),
    },
  ];
  return (
    <>
      <Rows caption={texts.title} columns={columns} rows={keys} keyOf={({ id }) => id} />
      <ConfirmDialog
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={texts.revokeTitle(revoking?.name ?? "")}
        lost={
          <>
            <p>{texts.revokeText}</p>
            <p>
              {texts.lastUsed} <When time={revoking?.last_used_at ?? null} />
            </p>
          </>
        }
        action={texts.revoke}
        onConfirm={async () => {
          await remove.mutateAsync({ key_id: revoking?.id ?? "" });
          toast(texts.revoked);
        }}
      />
    </>
  );
}
