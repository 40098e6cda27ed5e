import type { ConnectionRecord } from "../../../src/protocol/connection.ts";
import { DEFAULT_INSTANCE_SETTINGS } from "../../../src/protocol/instance-settings.ts";
import { SessionSettings } from "../../../src/protocol/session-socket.ts";

/** What a session must know of what its owner has set (docs/apis.md, "Settings and pacing"). */
export function sessionSettings(record: ConnectionRecord | null): SessionSettings {
  // Names are the same on both sides; the schema leaves out what is none of the session's business.
  return SessionSettings.parse({ ...(record?.settings ?? DEFAULT_INSTANCE_SETTINGS), proxy_url: record?.proxy_url ?? null });
}

/** Whether a session that goes by the one record has to be told of the other. */
export function sessionSettingsDiffer(before: ConnectionRecord, after: ConnectionRecord): boolean {
  return JSON.stringify(sessionSettings(before)) !== JSON.stringify(sessionSettings(after));
}
