import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { LIMITS } from "@gateway/domain/limits.ts";
import { type Scope, SCOPES } from "@gateway/domain/keys/scopes.ts";
import { refresh } from "../../api/cache.ts";
import { api, reading } from "../../api/client.ts";
import { Select, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { Check, Radio } from "../../ui/forms/tick.tsx";
import { Query } from "../../ui/states.tsx";
import { ACCOUNT } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { serverNow } from "../../api/server-time.ts";

const DAY_MS = 86_400_000;
const LIVES = { never: null, month: 30 * DAY_MS, quarter: 90 * DAY_MS, year: 365 * DAY_MS };
type Life = keyof typeof LIVES;

type NewAccountKeyProps = { open: boolean; onClose: () => void; onMade: (key: string) => void };

export function NewAccountKey(props: NewAccountKeyProps) {
  return props.open ? <OpenDialog {...props} /> : null;
}

type Missing = "scopes" | "instances" | null;

function OpenDialog({ onClose, onMade }: NewAccountKeyProps) {
  const texts = useTexts(ACCOUNT).keys;
  const client = useQueryClient();
  const me = useQuery(reading("GET /me", {}));
  const [some, setSome] = useState(false);
  const [missing, setMissing] = useState<Missing>(null);
  const form = useForm(async (fields, click) => {
    const scopes = fields.getAll("scopes") as Scope[];
    const instances = some ? (fields.getAll("instances") as string[]) : null;
    const incomplete = scopes.length === 0 ? "scopes" : instances?.length === 0 ? "instances" : null;
    setMissing(incomplete);
    if (incomplete !== null) return;
    const life = LIVES[textOf(fields, "life") as Life];
    const expires = life === null ? null : new Date(serverNow() + life).toISOString();
    const given = { name: textOf(fields, "name"), scopes, instance_ids: instances, expires_at: expires };
    const { data } = await api("POST /account-keys", given, { click });
    onMade(data.key);
    await refresh(client, ["GET /account-keys"]);
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
