import type { SessionSettings } from "../../../src/protocol/session-socket.ts";

/** What a session works with until its owner sets something else (catalogue A2, `Settings`). */
export const DEFAULT_SETTINGS: SessionSettings = {
  proxy_url: null,
  device_name: "Gateway",
  sync_history: "recent",
  always_online: false,
  download_media: true,
  ignore_groups: false,
  ignore_channels: false,
  ignore_status: true,
};
