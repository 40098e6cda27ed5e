// A key's scopes and allowed addresses, for connection keys and account keys.
import type { ReactNode } from "react";
import { isAddressBlock } from "@gateway/domain/keys/allowed-ips.ts";
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { TextArea, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { When } from "../../ui/when.tsx";
import { INTEGRATIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { toast } from "../../ui/toast.tsx";

type LimitedKey = {
  name: string;
  scopes: readonly Scope[];
  allowed_ips: readonly string[] | null;
  refused_ip: string | null;
  refused_at: string | null;
};

export type KeyLimits = { scopes: Scope[]; allowed_ips: string[] | null };

/** Shows the addresses from which a key works, and the last call from any other address. Shows nothing if any address is allowed. */
export function LimitsLine({ apiKey }: { apiKey: LimitedKey }) {
  const texts = useTexts(INTEGRATIONS).limits;
  if (apiKey.allowed_ips === null && apiKey.refused_ip === null) return null;
  return (
    <>
      {apiKey.allowed_ips !== null && <span className="break-all">{texts.from(apiKey.allowed_ips.join(", "))}</span>}
      {apiKey.refused_ip !== null && (
        <span className="font-semibold break-all text-attention">
          {texts.refused(apiKey.refused_ip)} <When time={apiKey.refused_at} />
        </span>
      )}
    </>
  );
}

type LimitsDialogProps = {
  apiKey: LimitedKey;
  offered: readonly Scope[];
  labels: Readonly<Record<Scope, { label: string; hint: string }>>;
  onClose: () => void;
  onSave: (limits: KeyLimits, idempotencyKey: string, fields: FormData) => Promise<unknown>;
  children?: ReactNode;
};

export function LimitsDialog({ apiKey, offered, labels, onClose, onSave, children }: LimitsDialogProps) {
  const texts = useTexts(INTEGRATIONS).limits;
  const form = useForm(async (fields, idempotencyKey) => {
    await onSave(
      { scopes: fields.getAll("scopes") as Scope[], allowed_ips: addressesOf(textOf(fields, "allowed_ips")) },
      idempotencyKey,
      fields,
    );
    toast(texts.saved(apiKey.name));
    onClose();
  });
  return (
    <FormDialog title={texts.title(apiKey.name)} form={form} submit={texts.save} onClose={onClose}>
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-semibold">{texts.scopes}</legend>
        {offered.map((scope) => (
          <Check
            key={scope}
            name="scopes"
            value={scope}
            defaultChecked={apiKey.scopes.includes(scope)}
            label={labels[scope].label}
            hint={labels[scope].hint}
          />
        ))}
      </fieldset>
      <AddressField addresses={apiKey.allowed_ips} />
      {children}
    </FormDialog>
  );
}

export function AddressField({ addresses = null }: { addresses?: readonly string[] | null }) {
  const texts = useTexts(INTEGRATIONS).limits;
  return (
    <TextArea
      label={texts.addresses}
      name="allowed_ips"
      hint={texts.addressesHint(LIMITS.allowedIps)}
      onInput={({ currentTarget }) => {
        const wrong = addressesOf(currentTarget.value)?.find((part) => !isAddressBlock(part));
        currentTarget.setCustomValidity(wrong === undefined ? "" : texts.noAddress(wrong));
      }}
      defaultValue={addresses?.join("\n") ?? ""}
      autoComplete="off"
      spellCheck={false}
      className="font-mono"
    />
  );
}

/** Reads one address or block per line. Returns null if there are none. */
export function addressesOf(text: string): string[] | null {
  const addresses = text.split(/[\s,;]+/).filter((part) => part !== "");
  return addresses.length === 0 ? null : addresses;
}
