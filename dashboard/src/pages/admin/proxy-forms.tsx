import { api, type ResponseBody } from "../../api/client.ts";
import { textOf, Select, TextField } from "../../ui/forms/field.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { ADMIN } from "../../texts/catalogs.ts";

export type Proxy = ResponseBody<"GET /admin/proxies">["data"][number];

export const STALE = ["GET /admin/proxies", "GET /admin/proxies/{proxy_id}", "GET /admin/proxies/health"] as const;
const PROTOCOLS = ["http", "https", "socks5"] as const;

export function AddProxy({ onClose }: { onClose: () => void }) {
  const texts = useTexts(ADMIN).proxies;
  return (
    <ActionDialog
      title={texts.add}
      action={texts.add}
      onClose={onClose}
      stale={STALE}
      onConfirm={({ reason, fields, idempotencyKey }) => {
        const password = textOrNull(fields, "password");
        return api("POST /admin/proxies", { reason, ...fieldsOf(fields), password }, { idempotencyKey });
      }}
    >
      <ProxyFields proxy={null} />
      <TextField label={texts.password} name="password" type="password" autoComplete="new-password" hint={texts.passwordHint} />
    </ActionDialog>
  );
}

/** Sends only changed fields. An empty password keeps the stored one, unless the username is removed too. */
export function EditProxy({ proxy, onClose }: { proxy: Proxy; onClose: () => void }) {
  const texts = useTexts(ADMIN).proxies;
  return (
    <ActionDialog
      title={proxy.label}
      action={texts.save}
      onClose={onClose}
      stale={STALE}
      onConfirm={({ reason, fields, idempotencyKey }) => {
        const typed = textOrNull(fields, "password");
        const wanted = { ...fieldsOf(fields), is_active: fields.has("is_active") };
        const password = wanted.username === null && proxy.has_password ? { password: null } : typed === null ? {} : { password: typed };
        const changed = Object.entries(wanted).filter(([name, value]) => value !== proxy[name as keyof typeof wanted]);
        const changes: Partial<typeof wanted & { password: string | null }> = { ...Object.fromEntries(changed), ...password };
        return api("PATCH /admin/proxies/{proxy_id}", { proxy_id: proxy.id, reason, ...changes }, { idempotencyKey });
      }}
    >
      <ProxyFields proxy={proxy} />
      <TextField label={texts.password} name="password" type="password" autoComplete="new-password" hint={texts.passwordStays} />
      <Check name="is_active" label={texts.isActive} hint={texts.isActiveHint} defaultChecked={proxy.is_active} />
    </ActionDialog>
  );
}

function ProxyFields({ proxy }: { proxy: Proxy | null }) {
  const texts = useTexts(ADMIN).proxies;
  const { port = 3128, max_instances: most = 10 } = proxy ?? {};
  const protocols = PROTOCOLS.map((value) => ({ value, label: value }));
  return (
    <>
      <TextField label={texts.label} name="label" characters={60} required autoComplete="off" defaultValue={proxy?.label} data-autofocus />
      <Select label={texts.protocol} name="protocol" options={protocols} defaultValue={proxy?.protocol} />
      <TextField label={texts.host} name="host" required maxLength={253} autoComplete="off" defaultValue={proxy?.host} />
      <TextField label={texts.port} name="port" type="number" min={1} max={65_535} required defaultValue={port} />
      <TextField label={texts.username} name="username" autoComplete="off" defaultValue={proxy?.username ?? ""} />
      <TextField
        label={texts.country}
        name="country"
        maxLength={2}
        pattern="[A-Za-z]{2}"
        hint={texts.countryHint}
        autoComplete="off"
        defaultValue={proxy?.country ?? ""}
      />
      <TextField label={texts.most} name="max_instances" type="number" min={1} max={1_000} required defaultValue={most} />
    </>
  );
}

function textOrNull(fields: FormData, name: string): string | null {
  return textOf(fields, name) === "" ? null : textOf(fields, name);
}

function fieldsOf(fields: FormData) {
  return {
    label: textOf(fields, "label"),
    protocol: PROTOCOLS.find((each) => each === textOf(fields, "protocol")) ?? ("http" as const),
    host: textOf(fields, "host"),
    port: Number(textOf(fields, "port")),
    username: textOrNull(fields, "username"),
    country: textOrNull(fields, "country")?.toUpperCase() ?? null,
    max_instances: Number(textOf(fields, "max_instances")),
  };
}
