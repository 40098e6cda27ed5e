// A connection's API keys. A new key's value exists only in this component's state and the dialog that shows it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { BookOpen, KeyRound, RefreshCw, ShieldCheck, Trash2 } from "lucide-react";
import { type ReactNode, Suspense, useState } from "react";
import { CONNECTION_SCOPES } from "@gateway/domain/keys/scopes.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { refresh } from "../../api/cache.ts";
import { type ResponseBody, api, reading } from "../../api/client.ts";
import { useFresh } from "../../api/fresh.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Mono } from "../../ui/code/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ConfirmDialog, FormDialog } from "../../ui/forms/form-dialog.tsx";
import { TextField, useForm } from "../../ui/forms/field.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SecretOnce } from "../../ui/code/secret-once.tsx";
import { Empty, Loading, Query } from "../../ui/states.tsx";
import { toast } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { INTEGRATIONS, UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";
import { AssistantFields, assistantPolicyIn } from "./assistant-policy.tsx";
import { LimitsDialog, LimitsLine } from "./key-limits.tsx";
import { type Key, KEYS, type NewKey, useLastUse, useMakeKey } from "./key-reads.ts";
import { Rotation } from "./rotation.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const Snippets = lazyPart(() => import("../../ui/code/snippets.tsx").then(({ Snippets: component }) => component));

/** Minimum interval between refetches of a busy key's last use. */
const LAST_USE_MS = 2_000;

type KeysPanelProps = { id: string; owner: boolean; phone: string | null };

export function KeysPanel({ id, owner, phone }: KeysPanelProps) {
  const texts = useTexts(INTEGRATIONS).keys;
  const inLanguage = `?lang=${useLanguage()}`;
  const documents = (
    <a href={`/docs${inLanguage}`} target="_blank" rel="noreferrer" className={buttonClass("quiet")}>
      <BookOpen size={16} aria-hidden className="shrink-0" />
      {texts.documents}
    </a>
  );
  const about = (
    <>
      {texts.about}{" "}
      <a href={`/docs/sdks${inLanguage}`} target="_blank" rel="noreferrer" className="underline underline-offset-2">
        {texts.tools}
      </a>
    </>
  );
  if (!owner) {
    return (
      <Panel title={texts.title} about={about} actions={documents} flush>
        <Empty title={texts.guest} text={texts.guestText} />
      </Panel>
    );
  }
  return <OwnersKeys id={id} phone={phone} about={about} documents={documents} />;
}

type OwnersKeysProps = { id: string; phone: string | null; about: ReactNode; documents: ReactNode };

function OwnersKeys({ id, phone, about, documents }: OwnersKeysProps) {
  const texts = useTexts(INTEGRATIONS).keys;
  const navigate = useNavigate({ from: "/connections/$id/integrations" });
  const { add, rotate } = useSearch({ from: "/in/connections/$id/integrations" });
  const [made, setMade] = useState<NewKey | null>(null);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const [limiting, setLimiting] = useState<Key | null>(null);
  const lastUse = useLastUse();
  // Refetches on focus, so that changes by another tab or a program are shown.
  const keys = useQuery({ ...reading(KEYS, { id }), refetchOnWindowFocus: "always" });
  useFresh("requests", [KEYS], LAST_USE_MS);
  const me = useQuery(reading("GET /me", {}));
  const all = keys.data?.data ?? [];
  const full = all.length >= LIMITS.activeKeys ? texts.full(...leastUsed(all, lastUse)) : undefined;
  const close = () => void navigate({ search: {} });
  return (
    <Panel
      title={texts.title}
      about={about}
      flush
      actions={
        <>
          {documents}
          <Button
            icon={KeyRound}
            kind={keys.data?.data.length === 0 ? "primary" : "plain"}
            why={full}
            onClick={() => void navigate({ search: { add: "key" } })}
          >
            {texts.generate}
          </Button>
        </>
      }
    >
      {me.data !== undefined && !paid(me.data.data.subscription) && (
        <p role="status" className="border-b border-line px-4 py-2 font-semibold text-attention">
          <span aria-hidden>▲ </span>
          {texts.unpaid}
        </p>
      )}
      <Query result={keys}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={texts.none} text={texts.noneText}>
              <div className="w-full max-w-2xl min-w-0 text-left">
                <FirstCall phone={phone} />
              </div>
            </Empty>
          ) : (
            <>
              <ul aria-label={texts.title}>
                {data.map((key) => (
                  <KeyRow
                    key={key.id}
                    apiKey={key}
                    onRotate={() => void navigate({ search: { rotate: key.id } })}
                    onLimit={() => setLimiting(key)}
                    onRevoke={() => setRevoking(key)}
                  />
                ))}
              </ul>
              {full !== undefined && <p className="border-t border-line px-4 py-2 text-sm text-soft">{full}</p>}
            </>
          )
        }
      </Query>
      {add === "key" && keys.data !== undefined && (
        <AddKey
          id={id}
          full={full}
          onClose={close}
          onMade={async (key) => {
            // Runs before the value is shown, because after that, navigation is blocked.
            await navigate({ search: {}, replace: true });
            shown(key, texts.lostValue, setMade);
          }}
        />
      )}
      {rotate !== undefined && keys.data !== undefined && made === null && (
        <Rotation
          id={id}
          keys={all}
          onClose={close}
          onMade={(key) => shown(key, texts.lostValue, setMade)}
          onRevoked={(name) => toast(texts.revoked(name))}
        />
      )}
      {made?.key != null && (
        <SecretOnce
          title={texts.made(made.name)}
          value={made.key}
          how={
            <section aria-label={texts.tryIt} className="grid min-w-0 gap-3">
              <h3>{texts.tryIt}</h3>
              <FirstCall phone={phone} apiKey={made.key} />
            </section>
          }
          onStored={() => setMade(null)}
        />
      )}
      {limiting !== null && <Limit id={id} apiKey={limiting} onClose={() => setLimiting(null)} />}
      {revoking !== null && <Revoke id={id} apiKey={revoking} onClose={() => setRevoking(null)} />}
    </Panel>
  );
}

/** Shows a new key's value. It is missing if the response is a replay of a completed request. */
function shown(key: NewKey, lost: string, show: (key: NewKey) => void): void {
  if (key.key === null) toast(lost, { kind: "bad" });
  else show(key);
}

function paid(subscription: ResponseBody<"GET /me">["data"]["subscription"]): boolean {
  return subscription !== null && (subscription.status === "active" || subscription.status === "trialing");
}

function leastUsed(keys: readonly Key[], lastUse: (key: Key) => string): [name: string, lastUse: string] {
  const [least] = keys.toSorted((a, b) => (a.last_used_at ?? "").localeCompare(b.last_used_at ?? ""));
  return least === undefined ? ["", ""] : [least.name, lastUse(least)];
}

type KeyRowProps = { apiKey: Key; onLimit: () => void; onRotate: () => void; onRevoke: () => void };

function KeyRow({ apiKey, onLimit, onRotate, onRevoke }: KeyRowProps) {
  const { keys: texts, limits } = useTexts(INTEGRATIONS);
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-1 border-b border-line px-4 py-2.5 last:border-b-0">
      <div className="min-w-40 grow">
        <p className="font-semibold break-words">{apiKey.name}</p>
        <p className="flex flex-wrap gap-x-4 text-sm text-soft">
          <Mono>{apiKey.prefix}…</Mono>
          <span>
            {texts.created} <When time={apiKey.created_at} />
          </span>
          <span>
            {apiKey.last_used_at === null ? (
              texts.neverUsed
            ) : (
              <>
                {texts.used} <When time={apiKey.last_used_at} />
              </>
            )}
          </span>
          <LimitsLine apiKey={apiKey} />
        </p>
      </div>
      <div className="flex flex-wrap gap-2 max-sm:-mx-3 max-sm:w-[calc(100%+1.5rem)] max-sm:gap-0 max-sm:[&_svg]:hidden">
        <Button kind="quiet" icon={ShieldCheck} aria-label={limits.editOf(apiKey.name)} onClick={onLimit}>
          {limits.edit}
        </Button>
        <Button kind="quiet" icon={RefreshCw} aria-label={texts.rotateLabel(apiKey.name)} onClick={onRotate}>
          {texts.rotate}
        </Button>
        <Button
          kind="quiet"
          icon={Trash2}
          aria-label={texts.revokeLabel(apiKey.name)}
          onClick={onRevoke}
          className="ml-auto !text-bad sm:ml-6"
        >
          {texts.revoke}
        </Button>
      </div>
    </li>
  );
}

type AddKeyProps = { id: string; full: string | undefined; onClose: () => void; onMade: (key: NewKey) => Promise<void> };

/** `full` says why no more keys can be created. If the limit is reached while the dialog is open, the form stays. */
function AddKey({ id, full, onClose, onMade }: AddKeyProps) {
  const texts = useTexts(INTEGRATIONS).keys;
  const { close } = useTexts(UI);
  const makeKey = useMakeKey(id);
  const form = useForm(async (fields, idempotencyKey) => onMade(await makeKey(fields.get("name") as string, idempotencyKey)));
  const [noRoom] = useState(full);
  if (noRoom !== undefined) {
    return (
      <Dialog open onClose={onClose} title={texts.generate} actions={<Button onClick={onClose}>{close}</Button>}>
        <p>{noRoom}</p>
      </Dialog>
    );
  }
  return (
    <FormDialog title={texts.generate} form={form} submit={texts.generate} onClose={onClose}>
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        name="name"
        required
        autoComplete="off"
        characters={LIMITS.keyNameCharacters}
        data-autofocus
      />
    </FormDialog>
  );
}

function Limit({ id, apiKey, onClose }: { id: string; apiKey: Key; onClose: () => void }) {
  const { scope } = useTexts(INTEGRATIONS).limits;
  const client = useQueryClient();
  return (
    <LimitsDialog
      apiKey={apiKey}
      offered={CONNECTION_SCOPES}
      labels={scope}
      onClose={onClose}
      onSave={async ({ scopes, allowed_ips }, idempotencyKey, fields) => {
        const given = CONNECTION_SCOPES.filter((each) => scopes.includes(each));
        const assistant = assistantPolicyIn(fields);
        await api(
          "PATCH /connections/{id}/keys/{key_id}",
          { id, key_id: apiKey.id, scopes: given, allowed_ips, assistant },
          { idempotencyKey },
        );
        await refresh(client, [KEYS]);
      }}
    >
      <AssistantFields policy={apiKey.assistant} />
    </LimitsDialog>
  );
}

function Revoke({ id, apiKey, onClose }: { id: string; apiKey: Key; onClose: () => void }) {
  const texts = useTexts(INTEGRATIONS).keys;
  const client = useQueryClient();
  const lastUse = useLastUse();
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={texts.revokeTitle(apiKey.name)}
      lost={
        <>
          <p>{texts.revokeLost}</p>
          <p className="font-semibold">{apiKey.last_used_at === null ? texts.revokeUnused : texts.revokeUsed(lastUse(apiKey))}</p>
        </>
      }
      typed={apiKey.name}
      action={texts.revokeAction}
      onConfirm={async () => {
        await api("DELETE /connections/{id}/keys/{key_id}", { id, key_id: apiKey.id });
        await refresh(client, [KEYS]);
        toast(texts.revoked(apiKey.name));
      }}
    />
  );
}

const SAMPLE_NUMBER = "5511999999999";

/** `phone` is the connection's own number, so that the example does not message anybody else. */
export function FirstCall({ phone, apiKey = null }: { phone: string | null; apiKey?: string | null }) {
  const texts = useTexts(INTEGRATIONS).keys;
  const [to, setTo] = useState(phone ?? "");
  const digits = to.replaceAll(/\D/g, "");
  const call = {
    method: "POST",
    url: `${location.origin}/api/v1/messages/text`,
    body: { to: digits === "" ? SAMPLE_NUMBER : digits, text: texts.example },
  };
  return (
    <div className="grid min-w-0 gap-3">
      <TextField
        label={texts.to}
        name="to"
        hint={texts.toHint}
        inputMode="numeric"
        autoComplete="off"
        value={to}
        placeholder={SAMPLE_NUMBER}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
        className="private max-w-64"
      />
      <Suspense fallback={<Loading />}>
        <Snippets call={call} apiKey={apiKey} />
      </Suspense>
    </div>
  );
}
