// Rotates a key without downtime: the user creates a second key, switches to it, and revokes the first. The URL keeps the progress.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { LIMITS } from "@gateway/domain/limits.ts";
import { refresh } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Mono } from "../../ui/code/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useAction } from "../../ui/forms/action.ts";
import { Form, TextField, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { When } from "../../ui/when.tsx";
import { INTEGRATIONS, UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { type Key, KEYS, type NewKey, useMakeKey } from "./key-reads.ts";

type RotationProps = {
  id: string;
  keys: readonly Key[];
  onClose: () => void;
  onMade: (key: NewKey) => void;
  onRevoked: (name: string) => void;
};

export function Rotation({ id, keys, onClose, onMade, onRevoked }: RotationProps) {
  const texts = useTexts(INTEGRATIONS).rotation;
  const { close } = useTexts(UI);
  const { rotate, second } = useSearch({ from: "/in/connections/$id/integrations" });
  const old = keys.find((key) => key.id === rotate);
  const fresh = keys.find((key) => key.id === second);
  return (
    <Dialog
      open
      onClose={onClose}
      title={old === undefined ? texts.gone : texts.title(old.name)}
      actions={<Button onClick={onClose}>{old === undefined ? close : texts.later}</Button>}
    >
      {old === undefined ? (
        <p>{texts.gone}</p>
      ) : (
        <ol className="grid gap-5">
          <Step title={texts.second} current={fresh === undefined}>
            {fresh === undefined ? <Second id={id} old={old} keys={keys} onMade={onMade} /> : <Use label={texts.newKey} apiKey={fresh} />}
          </Step>
          <Step title={texts.move} current={fresh !== undefined}>
            {fresh !== undefined && <Move old={old} fresh={fresh} />}
          </Step>
          <Step title={texts.revoke} current={fresh !== undefined}>
            {fresh !== undefined && <RevokeOld id={id} old={old} onDone={() => (onClose(), onRevoked(old.name))} />}
          </Step>
        </ol>
      )}
    </Dialog>
  );
}

function Step({ title, current, children }: { title: string; current: boolean; children: ReactNode }) {
  return (
    <li className="grid gap-2" aria-current={current ? "step" : undefined}>
      <h3 className={current ? "" : "text-soft"}>{title}</h3>
      {children}
    </li>
  );
}

function Second({ id, old, keys, onMade }: { id: string; old: Key; keys: readonly Key[]; onMade: (key: NewKey) => void }) {
  const texts = useTexts(INTEGRATIONS);
  const navigate = useNavigate({ from: "/connections/$id/integrations" });
  const makeKey = useMakeKey(id);
  const form = useForm(async (fields, idempotencyKey) => {
    // The second key gets the limits of the first.
    const made = await makeKey(fields.get("name") as string, idempotencyKey, {
      scopes: old.scopes,
      allowed_ips: old.allowed_ips,
      assistant: old.assistant,
    });
    await navigate({ search: { rotate: old.id, second: made.id }, replace: true });
    onMade(made);
  });
  if (keys.length >= LIMITS.activeKeys) return <p className="font-semibold text-attention">{texts.rotation.noRoom}</p>;
  const suggested =
    [...texts.rotation.secondName(old.name)].length <= LIMITS.keyNameCharacters ? texts.rotation.secondName(old.name) : old.name;
  return (
    <Form form={form} className="grid justify-items-start gap-3">
      <p>{texts.rotation.secondText}</p>
      <div className="w-full">
        <TextField
          label={texts.keys.name}
          name="name"
          required
          autoComplete="off"
          defaultValue={suggested}
          characters={LIMITS.keyNameCharacters}
          data-autofocus
        />
      </div>
      <FormError refused={form.refused} />
      <Button type="submit" kind="primary" busy={form.busy}>
        {texts.keys.generate}
      </Button>
    </Form>
  );
}

function Move({ old, fresh }: { old: Key; fresh: Key }) {
  const texts = useTexts(INTEGRATIONS).rotation;
  const client = useQueryClient();
  const { busy, run } = useAction();
  const moved = fresh.last_used_at !== null && (old.last_used_at ?? "") <= fresh.last_used_at;
  return (
    <>
      <p>{texts.moveText}</p>
      <Use label={texts.oldKey} apiKey={old} />
      <p role="status" className={`font-semibold ${moved ? "text-good" : "text-attention"}`}>
        <span aria-hidden>{moved ? "● " : "◐ "}</span>
        {fresh.last_used_at === null ? texts.waiting : moved ? texts.moved : texts.both}
      </p>
      <div>
        <Button icon={RotateCw} busy={busy} onClick={() => void run(() => refresh(client, [KEYS]))}>
          {texts.check}
        </Button>
      </div>
    </>
  );
}

function Use({ label, apiKey }: { label: string; apiKey: Key }) {
  const texts = useTexts(INTEGRATIONS).keys;
  return (
    <p className="flex flex-wrap gap-x-3">
      <span className="font-semibold">{label}</span>
      <span className="break-words">{apiKey.name}</span>
      <Mono>{apiKey.prefix}…</Mono>
      <span className="text-soft">
        {apiKey.last_used_at === null ? (
          texts.neverUsed
        ) : (
          <>
            {texts.used} <When time={apiKey.last_used_at} />
          </>
        )}
      </span>
    </p>
  );
}

function RevokeOld({ id, old, onDone }: { id: string; old: Key; onDone: () => void }) {
  const texts = useTexts(INTEGRATIONS).keys;
  const ui = useTexts(UI);
  const client = useQueryClient();
  const form = useForm(async () => {
    await api("DELETE /connections/{id}/keys/{key_id}", { id, key_id: old.id });
    onDone();
    await refresh(client, [KEYS]);
  });
  return (
    <Form form={form} className="grid justify-items-start gap-3">
      <p>{texts.revokeLost}</p>
      <div className="w-full">
        <TextField
          label={ui.typed(old.name)}
          name="typed"
          required
          autoComplete="off"
          onInput={({ currentTarget }) =>
            currentTarget.setCustomValidity(currentTarget.value.trim() === old.name.trim() ? "" : ui.notTheName(old.name))
          }
        />
      </div>
      <FormError refused={form.refused} />
      <Button type="submit" kind="danger" busy={form.busy}>
        {texts.revokeAction}
      </Button>
    </Form>
  );
}
