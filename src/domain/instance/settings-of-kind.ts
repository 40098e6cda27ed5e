// Settings that mean something to one kind of instance alone (docs/use/cloud-api.md, "Connecting a number").
import { type Failed, fail } from "@gateway/protocol/failures.ts";
import type { Kind } from "@gateway/protocol/operations.ts";
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettingsChange } from "@gateway/protocol/instance-settings.ts";

/** As the APIs name them. */
type Setting = keyof InstanceSettingsChange | "proxy_id" | "cloud_api";

const WITHOUT: Record<Kind, readonly Setting[]> = {
  session: ["cloud_api"],
  cloud_api: ["always_online", "sync_history", "device_name", "proxy_id"],
};

/** What means nothing to a kind of instance, as the APIs name it. */
export function settingsWithout(kind: Kind): readonly Setting[] {
  return WITHOUT[kind];
}

export type SettingsAsked = {
  settings?: InstanceSettingsChange | undefined;
  proxyId?: string | null | undefined;
  /** Credentials of a number of the Cloud API. */
  cloudApi?: object | undefined;
};

/** `not_supported` with the first that this kind does not have, unless it says what is so anyway; null: it has all of them. */
export function unsupportedChange(kind: Kind, { settings = {}, proxyId, cloudApi }: SettingsAsked): Failed | null {
  const isAsked = (name: Setting) => {
    if (name === "proxy_id") return (proxyId ?? null) !== null;
    if (name === "cloud_api") return cloudApi !== undefined;
    return settings[name] !== undefined && settings[name] !== DEFAULT_INSTANCE_SETTINGS[name];
  };
  const field = WITHOUT[kind].find(isAsked);
  return field === undefined ? null : fail("not_supported", { details: { kind, field } });
}
