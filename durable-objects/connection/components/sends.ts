// Wires up everything that sends: the outbox, the pacing and the sends that wait.
import type { Grid } from "@gateway/domain/spread.ts";
import type { CommitHandler } from "../commit-handler.ts";
import type { Instance } from "../instance/instance.ts";
import type { Identity } from "../instance/identity.ts";
import { AccountLimitsCache } from "../instance/account-limits-cache.ts";
import { OwnSendProjection } from "../messages/own-sends.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Counters } from "../statistics/counters.ts";
import type { Stores } from "../store/stores.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import { WaitingSends } from "../waiting/waiting-sends.ts";
import { Outbox } from "../outbox/outbox.ts";
import { Pacing } from "../outbox/pacing.ts";
import { OutboxRows } from "../outbox/outbox-rows.ts";

type Dependencies = {
  sql: SqlStorage;
  identity: Identity;
  instance: Instance;
  network: NetworkClient;
  stores: Stores;
  counters: Counters;
  times: StoredTimes;
  days: Grid;
  /** A function, because the commit handler is created after the outbox. */
  commitHandler: () => CommitHandler;
  onWaitingChanged: () => void;
  rearm: () => void;
};

export function createSends(deps: Dependencies) {
  const { sql, identity, instance, network, stores, counters, times, days, commitHandler, rearm } = deps;
  const link = () => network.link;
  const projection = new OwnSendProjection(stores);
  const rows = new OutboxRows(sql, days);
  const outbox = new Outbox({
    rows,
    link,
    projection,
    counters,
    rearm,
    takeBack: (row, failure, at) => waiting.takeBack(row, failure, at),
    commitHandler,
  });
  const refused = times.of("account_limits_refused");
  const standingChanged = () => waiting.standingChanged();
  const limits = new AccountLimitsCache({ identity, instance, network, stores, refused, onRead: standingChanged });
  const pacing = new Pacing({ sql, rows, identity, instance, stores, onReleased: standingChanged });
  const waiting = new WaitingSends({
    sql,
    identity,
    times,
    instance,
    outbox,
    pacing,
    limits,
    network,
    stores,
    projection,
    counters,
    commitHandler,
    onChanged: deps.onWaitingChanged,
    rearm,
  });
  return { limits, outbox, pacing, waiting };
}
