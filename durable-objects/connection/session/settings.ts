import type { InstanceSettings } from "../../../src/protocol/instance-settings.ts";
import type { SessionSettings } from "../../../src/protocol/session-socket.ts";

/** What a session must know of what its owner has set (catalogue A2, `Settings`). */
export function sessionSettings(settings: InstanceSettings): SessionSettings {
  const { device_name, sync_history, always_online, download_media, ignore_groups, ignore_channels, ignore_status } = settings;
  return { proxy_url: null, device_name, sync_history, always_online, download_media, ignore_groups, ignore_channels, ignore_status };
}
