// Sends, and the application of network events (`components.ts` shows why the commit handler is passed as a function).
import { gridOf } from "@gateway/domain/spread.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { Automations } from "../automations/automations.ts";
import { CommitHandler, type Participant } from "../commit-handler.ts";
import { createSends } from "./sends.ts";
import { PresenceRestorer } from "../presence/presence-restorer.ts";
import { EventProjection } from "../projection/event-projection.ts";
import { NetworkClient } from "../session/network-client.ts";
import type { ObjectHost } from "./object-host.ts";
import type { Callers } from "./callers.ts";
import type { Receivers } from "./receivers.ts";
import type { StoredData } from "./stored-data.ts";
import type { Upkeep } from "./upkeep.ts";

/** Network events that change a shown chat, and of which watchers receive no event. */
const WITHOUT_FACT = /^chat|^message.(removed|starred)/;

export type Commits = ReturnType<typeof createCommits>;

export function createCommits(
  { ctx, rearm }: ObjectHost,
  data: StoredData,
  { actionLog, admission, eventStreams, listeners, recent, watchers }: Callers,
  { deliveries, notifications, ownerMails }: Receivers,
  { removedFiles }: Upkeep,
) {
  const { sql, counters, identity, instance, instanceRef, progress, stateRows, stores, times } = data;
  const network = new NetworkClient(() => identity.kind);
  const { limits, outbox, pacing, waiting } = createSends({
    sql,
    identity,
    instance,
    network,
    stores,
    counters,
    times,
    days: gridOf(identity.uuid, DAY_MS),
    commitHandler: () => commitHandler,
    onWaitingChanged: () => watchers.changed("waiting"),
    rearm,
  });
  const presence = new PresenceRestorer(network, stores.presences, identity);
  const participants: readonly Participant[] = [
    counters,
    stateRows,
    progress,
    instance,
    outbox.settlement,
    listeners,
    ownerMails.alerts,
    ...waiting.participants,
    ...deliveries.participants,
  ];
  const commitHandler = new CommitHandler({
    storage: ctx.storage,
    stateRows,
    progress,
    counters,
    instance,
    projection: new EventProjection(stores),
    participants,
    sends: outbox.settlement,
    deliveries,
    recent,
    watchers,
    eventStreams,
    listeners,
    notifications,
    instanceRef,
    automations: new Automations({ identity, network, stores, outbox }),
    onApplied: (events) => {
      admission.dropChangedReads(events);
      removedFiles.recheck();
      waiting.eventsApplied(events);
      if (events.some(({ event }) => WITHOUT_FACT.test(event.type))) watchers.changed("chats");
    },
    onConnected: (at) => {
      admission.pairingLinks.numberConnected(at);
      // Sets only the phone number. A session reports its LID too, with `session.open`.
      if (instance.state.phone !== null) stores.groups.setSelf(instance.state.phone, null);
    },
    onReconnected: (at) => stores.reconnectLog.add(at),
    onAwayForLong: (at) => {
      if (identity.settings.alerts.stopped) ownerMails.alerts.add(at);
    },
    onNumberChanged: (at) => actionLog.addByGateway("number_changed", instance.state.phone, at),
  });
  return { network, limits, outbox, pacing, waiting, presence, commitHandler, participants };
}
