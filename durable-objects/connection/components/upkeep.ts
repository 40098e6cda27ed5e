// Removal of old data, and writes to D1.
import { type DirectoryState, writeConnectionState } from "#root/src/services/connections/directory-state.ts";
import { pushCounts } from "#root/src/services/statistics/push.ts";
import { DirectoryUpdater } from "../directory/directory-updater.ts";
import { RemovedFiles } from "../files/removed-files.ts";
import { StorePurge } from "../store/purge.ts";
import { StatisticsPush } from "../statistics/push.ts";
import { Uploads } from "../files/uploads.ts";
import type { ObjectHost } from "./object-host.ts";
import type { Callers } from "./callers.ts";
import type { Receivers } from "./receivers.ts";
import type { StoredData } from "./stored-data.ts";

export type Upkeep = ReturnType<typeof createUpkeep>;

export function createUpkeep({ env, rearm }: ObjectHost, data: StoredData, { admission }: Callers, { deliveries }: Receivers) {
  const { sql, catchUp, counters, hours, identity, stores, times } = data;
  const removedFiles = new RemovedFiles({
    sql,
    times,
    connection: identity.uuid,
    remove: (keys) => env.MEDIA.delete(keys),
    rearm,
  });
  const onMessagesPurged = (chatId: string) => {
    stores.chats.refreshLastMessage(chatId);
    admission.dropChangedReads([]);
    removedFiles.recheck();
  };
  const purge = new StorePurge(sql, () => identity.settings.message_retention_days, onMessagesPurged, hours, times.of("orphans_searched"));
  const uploads = new Uploads(sql, removedFiles);
  const statistics = new StatisticsPush({
    counters,
    connection: identity.uuid,
    catchUp,
    times,
    waiting: () => deliveries.waiting,
    write: (connection, counts) => pushCounts(env.DB, connection, counts, Date.now()),
    rearm,
  });
  const writeState = async (state: DirectoryState) => {
    if (identity.record !== null) await writeConnectionState(env.DB, identity.record.id, state, Date.now());
  };
  const directory = new DirectoryUpdater(sql, times, writeState, rearm);
  return { removedFiles, purge, uploads, statistics, directory };
}
