// The gateway's welcome to a session of a new connection.
import type { ToBridge } from "@gateway/protocol/session-socket.ts";

export const WELCOME: ToBridge = {
  type: "welcome",
  state_key: "",
  resume_ticket: "ticket",
  stored_through: 0,
  settings: {
    proxy_url: null,
    device_name: "Gateway",
    sync_history: "none",
    always_online: false,
    download_media: false,
    media_retention_days: 7,
    ignore_groups: false,
    ignore_channels: false,
    ignore_status: false,
  },
};
