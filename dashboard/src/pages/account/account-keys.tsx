// Account keys. A new key's value exists only in this component's state.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { LIMITS } from "@gateway/domain/limits.ts";
import { type Scope, SCOPES, scopesOfRole } from "@gateway/domain/keys/scopes.ts";
import { useChange, refresh } from "../../api/cache.ts";
import { type ResponseBody, reading, api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { Code, Mono } from "../../ui/code/code.tsx";
import { ConfirmDialog, FormDialog } from "../../ui/forms/form-dialog.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SecretOnce } from "../../ui/code/secret-once.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { AddressField, addressesOf, LimitsDialog, LimitsLine } from "../integrations/key-limits.tsx";
import { snippet } from "../../domain/snippets.ts";
import { ACCOUNT, INTEGRATIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Select, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { Check, Radio } from "../../ui/forms/tick.tsx";
import { serverNow } from "../../api/server-time.ts";

type Key = ResponseBody<"GET /account-keys">["data"][number];

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
  const { limits } = useTexts(INTEGRATIONS);
  const change = useChange("PATCH /account-keys/{key_id}", ["GET /account-keys"]);
  const me = useQuery(reading("GET /me", {}));
  const [limiting, setLimiting] = useState<Key | null>(null);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const columns: readonly Column<Key>[] = [
    {
      id: "name",
      header: texts.name,
      cell: ({ name, prefix, ...key }) => (
        <span className="grid min-w-0">
          <span className="font-semibold break-words">{name}</span>
          <span className="text-sm whitespace-nowrap text-soft">
            <Mono>{prefix}…</Mono>
          </span>
          <span className="grid text-sm text-soft">
            <LimitsLine apiKey={{ name, ...key }} />
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
        <span className="flex flex-wrap gap-x-6 gap-y-2 @[58rem]:flex-nowrap">
          <Button kind="quiet" icon={ShieldCheck} aria-label={limits.editOf(key.name)} onClick={() => setLimiting(key)}>
            {limits.edit}
          </Button>
          <Button kind="danger" aria-label={texts.revokeOf(key.name)} onClick={() => setRevoking(key)}>
            {texts.revoke}
          </Button>
        </span>
      ),
    },
  ];
  return (
    <>
      <Rows caption={texts.title} columns={columns} rows={keys} keyOf={({ id }) => id} />
      {limiting !== null && (
        <LimitsDialog
          apiKey={limiting}
          offered={scopesOfRole(me.data?.data.role ?? "user")}
          labels={texts.scope}
          onClose={() => setLimiting(null)}
          onSave={(given) => change.mutateAsync({ key_id: limiting.id, ...given })}
        />
      )}
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

const DAY_MS = 86_400_000;
const LIVES = { never: null, month: 30 * DAY_MS, quarter: 90 * DAY_MS, year: 365 * DAY_MS };
type Life = keyof typeof LIVES;

type NewAccountKeyProps = { open: boolean; onClose: () => void; onMade: (key: string) => void };

function NewAccountKey(props: NewAccountKeyProps) {
  return props.open ? <OpenDialog {...props} /> : null;
}

type Missing = "scopes" | "instances" | null;

function OpenDialog({ onClose, onMade }: NewAccountKeyProps) {
  const texts = useTexts(ACCOUNT).keys;
  const client = useQueryClient();
  const me = useQuery(reading("GET /me", {}));
  const [some, setSome] = useState(false);
  const [missing, setMissing] = useState<Missing>(null);
  const form = useForm(async (fields, idempotencyKey) => {
    const scopes = fields.getAll("scopes") as Scope[];
    const instances = some ? (fields.getAll("instances") as string[]) : null;
    const incomplete = scopes.length === 0 ? "scopes" : instances?.length === 0 ? "instances" : null;
    setMissing(incomplete);
    if (incomplete !== null) return;
    const life = LIVES[textOf(fields, "life") as Life];
    const expires = life === null ? null : new Date(serverNow() + life).toISOString();
    const allowed = addressesOf(textOf(fields, "allowed_ips"));
    const given = { name: textOf(fields, "name"), scopes, instance_ids: instances, expires_at: expires, allowed_ips: allowed };
    const { data } = await api("POST /account-keys", given, { idempotencyKey });
    onMade(data.key);
    void refresh(client, ["GET /account-keys"]);
  });
  const mayGive = SCOPES.filter((scope) => scope !== "admin" || me.data?.data.role === "admin");
  const lives = (Object.keys(LIVES) as Life[]).map((value) => ({ value, label: texts.lives[value] }));
  return (
    <FormDialog title={texts.makeTitle} form={form} submit={texts.create} onClose={onClose}>
      <TextField
        label={texts.name}
        name="name"
        hint={texts.nameHint}
        required
        characters={LIMITS.keyNameCharacters}
        autoComplete="off"
        data-autofocus
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-semibold">{texts.scopesTitle}</legend>
        {mayGive.map((scope) => (
          <Check
            key={scope}
            name="scopes"
            value={scope}
            defaultChecked={scope !== "admin"}
            label={texts.scope[scope].label}
            hint={texts.scope[scope].hint}
          />
        ))}
        <Problem text={missing === "scopes" ? texts.scopesMissing : null} />
      </fieldset>
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-semibold">{texts.reachTitle}</legend>
        <Radio name="reach" value="all" label={texts.reachAll} checked={!some} onChange={() => setSome(false)} />
        <Radio name="reach" value="some" label={texts.reachSome} checked={some} onChange={() => setSome(true)} />
        {some && <Connections />}
        <Problem text={missing === "instances" ? texts.reachMissing : null} />
      </fieldset>
      <AddressField />
      <Select label={texts.life} name="life" options={lives} defaultValue="never" />
    </FormDialog>
  );
}

function Problem({ text }: { text: string | null }) {
  return <p role="alert">{text === null ? null : <span className="text-sm font-semibold text-bad">{text}</span>}</p>;
}

function Connections() {
  const connections = useQuery(reading("GET /connections", { limit: 100 }));
  return (
    <Query result={connections}>
      {({ data }) => (
        <div className="ml-7 grid max-h-56 gap-1 overflow-y-auto">
          {data.map(({ id, instance_id: uuid, name }) => (
            <Check key={id} name="instances" value={uuid} label={name} />
          ))}
        </div>
      )}
    </Query>
  );
}
