// Cloud API components. Every object creates them, but their tables are not read until they are used.
import type { OwnerCommand } from "@gateway/domain/instance/owner-commands.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import { DAY_MS, earliest } from "@gateway/protocol/units.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import type { DataKeys } from "../store/data-keys.ts";
import type { Instance } from "../instance/instance.ts";
import type { Identity } from "../instance/identity.ts";
import type { Stores } from "../store/stores.ts";
import type { ShownCredentials } from "#root/src/services/connections/change.ts";
import { CloudCredentials } from "./credentials.ts";
import { OwnPicture } from "./commands/people.ts";
import { cloudDriver } from "./commands.ts";
import { CloudFiles } from "./files/files.ts";
import { CloudUploads } from "./files/uploads.ts";
import { createGraph, type GraphCredentials, type Transport } from "./graph.ts";
import { GroupRequests } from "./group-requests.ts";
import { CloudIdTables } from "./id-tables.ts";
import { CloudSendLink } from "./send-link.ts";
import { CloudSends } from "./sends.ts";
import { CloudUpkeep } from "./cloud-upkeep.ts";
import { CloudWebhook } from "./webhook.ts";

export type CloudDependencies = {
  sql: SqlStorage;
  times: StoredTimes;
  storage: DurableObjectStorage;
  identity: Identity;
  instance: Pick<Instance, "state">;
  stores: Stores;
  dataKeys: Pick<DataKeys, "vault">;
  graph: {
    /** Null if the setting points at a sandbox's Graph API, but this deployment is not a sandbox. */
    baseUrl: string | null;
    version: string;
    fetch: Transport;
  };
  bucket: R2Bucket;
  openSend(messageId: string): SendRequest | null;
  storePending(): void;
  callback: () => string;
  isShared(wabaId: string): Promise<boolean>;
  show(credentials: ShownCredentials): Promise<void>;
  step(command: OwnerCommand, now: number): void;
  /** Applies events in one synchronous transaction, like a session's commit. */
  commit(events: KeyedEvent[], now: number): void;
  rearm(): void;
};

export function createCloud(deps: CloudDependencies) {
  const { sql, dataKeys, identity, instance, stores } = deps;
  const credentials = new CloudCredentials(sql, () => dataKeys.vault());
  const graphWith = (which: () => GraphCredentials | null) => {
    const { baseUrl, version, fetch: transport } = deps.graph;
    const reached = { connection: identity.uuid, version, credentials: which };
    return baseUrl === null
      ? createGraph({ ...reached, baseUrl: NOWHERE, transport: () => Promise.reject(new Error("no Graph in this deployment")) })
      : createGraph({ ...reached, baseUrl, transport });
  };
  const graph = graphWith(() => credentials.get());
  const upkeep = new CloudUpkeep({ ...deps, credentials, graphOf: (candidate) => graphWith(() => candidate) });
  const ids: CloudIdTables = new CloudIdTables({
    sql,
    lids: stores.lids,
    phone: () => instance.state.phone,
    own: (wamid) => sends.messageIdOf(wamid),
    known: (messageId, chatId) => {
      deps.storePending();
      return stores.messages.find(messageId, chatId);
    },
  });
  const doubt = (): void => upkeep.doubtCredentials(Date.now());
  const sends = new CloudSends({
    sql,
    open: (messageId) => deps.openSend(messageId),
    retentionDays: () => identity.settings.message_retention_days,
    learnSpelling: (asked, waId) => ids.learnSpelling(asked, waId),
    doubt,
  });
  const phoneNumberId = () => credentials.get()?.phoneNumberId ?? null;
  const uploads = new CloudUploads({ bucket: deps.bucket, graph, credentials: () => credentials.get(), doubt });
  const owner = () => {
    const { media_retention_days: days, download_media: download } = identity.settings;
    return identity.record === null ? null : { uuid: identity.uuid, retentionMs: days * DAY_MS, download };
  };
  const files = new CloudFiles({
    sql,
    bucket: deps.bucket,
    graph,
    phoneNumberId,
    connection: owner,
    isConnected: () => instance.state.status === "connected",
    isStored: (messageId) => stores.messages.find(messageId, null) !== null,
    doubt,
    commit: (events, now) => deps.commit(events, now),
    arrived: (chatId) => webhook.fileArrived(chatId),
    rearm: () => deps.rearm(),
  });
  const link = new CloudSendLink({
    connection: identity.uuid,
    graph,
    phoneNumberId,
    instance,
    ids,
    sends,
    upload: (file, as) => uploads.upload(file, as),
    commit: (events, now) => deps.commit(events, now),
    doubt,
  });
  const groupRequests = new GroupRequests();
  const webhook: CloudWebhook = new CloudWebhook({
    storage: deps.storage,
    connection: () => identity.uuid,
    credentials,
    ids,
    statusEvents: (...status) => sends.statusEvents(...status),
    files,
    settleRequest: ({ requestId, outcome }) => groupRequests.settle(requestId, outcome),
    recheck: (now) => upkeep.recheck(now),
    ignoresGroups: () => identity.settings.ignore_groups,
    isPaused: () => instance.state.status === "disconnected",
    commit: (events, now) => deps.commit(events, now),
  });
  const picture = new OwnPicture({
    bucket: deps.bucket,
    graph,
    connection: owner,
  });
  const driver = cloudDriver({
    instance,
    stores,
    graph,
    number: () => credentials.get(),
    ids,
    groupRequests,
    files: {
      post: (...file) => uploads.post(...file),
      uploadHandle: (file) => uploads.uploadHandle(file),
      refetch: (raw) => files.refetch(raw),
      copyPicture: (url) => picture.copy(url),
    },
    commit: (events, now) => deps.commit(events, now),
    doubtCredentials: doubt,
    clock: () => Date.now(),
  });
  const scheduled: { nextDue(now: number): number | null; run(now: number): void }[] = [upkeep, files, webhook];
  return {
    credentials,
    files,
    uploads,
    driver,
    upkeep,
    link,
    webhook,
    nextDue(now: number): number | null {
      if (identity.kind !== "cloud_api") return null;
      return earliest(scheduled.map((part) => part.nextDue(now)));
    },
    clockSetBack(now: number): void {
      upkeep.clockSetBack();
      files.clockSetBack(now);
    },
    run(now: number): void {
      if (identity.kind !== "cloud_api") return;
      for (const part of scheduled) part.run(now);
    },
  };
}

const NOWHERE = "https://graph.invalid";
