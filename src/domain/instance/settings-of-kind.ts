// Settings that only one kind of instance has (docs/use/cloud-api.md, "Connecting a number").
import { type Failed, fail } from "@gateway/protocol/failures.ts";
import type { Kind } from "@gateway/protocol/operations.ts";
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettingsChange } from "@gateway/protocol/instance-settings.ts";

type Setting = keyof InstanceSettingsChange | "proxy_id" | "cloud_api";

const WITHOUT: Record<Kind, readonly Setting[]> = {
  session: ["cloud_api"],
  cloud_api: ["always_online", "sync_history", "device_name", "proxy_id"],
};

export function settingsWithout(kind: Kind): readonly Setting[] {
  return WITHOUT[kind];
}

export type SettingsAsked = {
  settings?: InstanceSettingsChange | undefined;
  proxyId?: string | null | undefined;
  cloudApi?: object | undefined;
};

/** Fails `not_supported` with the first setting that this kind does not have, unless it is set to its default; null: all are supported. */
export function unsupportedChange(kind: Kind, { settings = {}, proxyId, cloudApi }: SettingsAsked): Failed | null {
  const isAsked = (name: Setting) => {
    if (name === "proxy_id") return (proxyId ?? null) !== null;
    if (name === "cloud_api") return cloudApi !== undefined;
    return settings[name] !== undefined && settings[name] !== DEFAULT_INSTANCE_SETTINGS[name];
  };
  const field = WITHOUT[kind].find(isAsked);
  return field === undefined ? null : fail("not_supported", { details: { kind, field } });
}
