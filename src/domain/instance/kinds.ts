// Refuses calls that a kind of number does not support, before anything is stored or sent.
import { type Failure, type Failed, fail } from "@gateway/protocol/failures.ts";
import type { ConnectionKind, OperationRow } from "@gateway/protocol/operations.ts";
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettingsChange } from "@gateway/protocol/instance-settings.ts";

/** Returns null if this kind supports the call. The operation's schema has already parsed `input`. */
export function kindRefusal({ kinds, contents = {}, fields = {} }: OperationRow, input: unknown, kind: ConnectionKind): Failure | null {
  if (!kinds.includes(kind)) return { code: "not_supported", details: { kind } };
  const { content, ...rest } = input as { content?: { kind: string } };
  const sentBy = content === undefined ? undefined : contents[content.kind];
  if (sentBy !== undefined && !sentBy.includes(kind)) return { code: "not_supported", details: { kind } };
  const values: Readonly<Record<string, unknown>> = { ...rest, ...content };
  for (const [field, rule] of Object.entries(fields)) {
    if (!rule.kinds.includes(kind) && rule.isUsed(values[field])) return { code: rule.code ?? "not_supported", details: { kind, field } };
  }
  return null;
}

type Setting = keyof InstanceSettingsChange | "proxy_id" | "cloud_api";

const WITHOUT: Record<ConnectionKind, readonly Setting[]> = {
  session: ["cloud_api"],
  cloud_api: ["always_online", "sync_history", "device_name", "proxy_id"],
};

export function settingsWithout(kind: ConnectionKind): readonly Setting[] {
  return WITHOUT[kind];
}

export type SettingsAsked = {
  settings?: InstanceSettingsChange | undefined;
  proxyId?: string | null | undefined;
  cloudApi?: object | undefined;
};

/** The first unsupported setting that does not have its default value, or null if all are supported. */
export function unsupportedChange(kind: ConnectionKind, { settings = {}, proxyId, cloudApi }: SettingsAsked): Failed | null {
  const isAsked = (name: Setting) => {
    if (name === "proxy_id") return (proxyId ?? null) !== null;
    if (name === "cloud_api") return cloudApi !== undefined;
    return settings[name] !== undefined && settings[name] !== DEFAULT_INSTANCE_SETTINGS[name];
  };
  const field = WITHOUT[kind].find(isAsked);
  return field === undefined ? null : fail("not_supported", { details: { kind, field } });
}
