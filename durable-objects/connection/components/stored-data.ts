// The object's stored data about its connection, and values that other components read from it.
import { CatchUp } from "@gateway/domain/catch-up.ts";
import { gridOf } from "@gateway/domain/spread.ts";
import type { RenderContext } from "@gateway/domain/webhooks/style/style.ts";
import { settingsOf } from "#root/src/env.ts";
import type { Routine } from "#root/src/log.ts";
import { tracersOf } from "#root/src/services/tracing/tracers.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { DataKeys } from "../store/data-keys.ts";
import { CommitProgress } from "../session/commit-progress.ts";
import { Removal } from "../directory/removal.ts";
import { Instance } from "../instance/instance.ts";
import { Identity } from "../instance/identity.ts";
import { StateRows } from "../session/state-rows.ts";
import { Stores } from "../store/stores.ts";
import { StoredTimes } from "../../shared/stored-times.ts";
import { Counters } from "../statistics/counters.ts";
import { StatusHours } from "../statistics/status-hours.ts";
import { ConnectionTraces } from "../tracing/traces.ts";
import type { ObjectHost } from "./object-host.ts";

export type StoredData = ReturnType<typeof createStoredData>;

export function createStoredData({ ctx, env }: ObjectHost) {
  const { sql } = ctx.storage;
  const settings = settingsOf(env);
  const now = Date.now();
  const dataKeys = new DataKeys(sql, settings.STATE_SECRET, ctx.id.name ?? "");
  const identity = new Identity(sql, ctx.id.name ?? "", dataKeys, settings.PASSKEY_CEREMONY === "on");
  const statusHours = new StatusHours(sql);
  const instance = new Instance(sql, statusHours, now);
  const instanceRef = () => identity.instanceRef(instance.state.phone);
  const ownerId = () => identity.record?.owner_id ?? null;
  const stores = new Stores(sql);
  const times = new StoredTimes(sql);
  const hours = gridOf(identity.uuid, HOUR_MS);
  const catchUp = new CatchUp(identity.uuid, now, times.of("late_work_found"));
  const progress = new CommitProgress(sql);
  const stateRows = new StateRows(sql, hours);
  const counters = new Counters(sql, progress);
  stateRows.clockSetBack(now);
  counters.clockSetBack(now);
  counters.setConnected(instance.state.connectedAt !== null, now);
  counters.flush(now);
  const removal = new Removal(sql);
  const traces = new ConnectionTraces(tracersOf(env)?.object ?? null, identity.uuid);
  const renderContext = (): RenderContext => ({
    instance: instanceRef(),
    appUrl: settings.APP_URL,
    networkSuffix: settings.NETWORK_SUFFIX,
  });
  return {
    sql,
    dataKeys,
    identity,
    statusHours,
    instance,
    instanceRef,
    ownerId,
    stores,
    times,
    hours,
    catchUp,
    progress,
    stateRows,
    counters,
    removal,
    traces,
    renderContext,
    /** Marks log lines that are sampled (`LOG_SAMPLE`). */
    routine: (): Routine => ({ share: settings.LOG_SAMPLE, key: identity.uuid, at: Date.now() }),
  };
}
