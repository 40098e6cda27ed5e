// Which settings of an instance the gateway carries out. The others are refused unless they change nothing: no pretended success.
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettingsChange } from "../protocol/instance-settings.ts";

const CARRIED_OUT: ReadonlySet<string> = new Set<keyof InstanceSettingsChange>([
  "always_online",
  "ignore_groups",
  "ignore_channels",
  "ignore_status",
  "sync_history",
  "download_media",
  "device_name",
]);

/** The first setting that would have to do something that is not done yet; null when there is none. */
export function uncarriedSetting(change: InstanceSettingsChange): string | null {
  const named: Readonly<Record<string, unknown>> = DEFAULT_INSTANCE_SETTINGS;
  for (const [name, value] of Object.entries(change)) {
    if (!CARRIED_OUT.has(name) && value !== undefined && !isDefault(value, named[name])) return name;
  }
  return null;
}

function isDefault(value: unknown, standard: unknown): boolean {
  if (typeof value !== "object" || value === null || typeof standard !== "object" || standard === null) return value === standard;
  const parts: Readonly<Record<string, unknown>> = { ...standard };
  return Object.entries(value).every(([name, part]) => part === undefined || part === parts[name]);
}
