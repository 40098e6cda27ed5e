import { settingsOf } from "../env.ts";
import { connectionIsRemoved } from "../services/connections/exists.ts";
import type { FileStorage } from "../services/media/given-file.ts";
import type { AppContext } from "./app-env.ts";

export function fileStorageOf(c: AppContext, connection: string): Omit<FileStorage, "retentionMs"> {
  const { APP_URL, BASE_URL } = settingsOf(c.env);
  const { EGRESS, MEDIA } = c.env;
  return {
    bucket: MEDIA,
    outside: {
      policy: { own: [APP_URL, BASE_URL], loopback: c.get("loopbackFiles") },
      fetch: (url, init) => (EGRESS === undefined ? fetch(url, init) : EGRESS.fetch(url, init)),
    },
    appUrl: APP_URL,
    connection,
    isRemoved: (uuid) => connectionIsRemoved(c.env.DB, uuid),
  };
}
