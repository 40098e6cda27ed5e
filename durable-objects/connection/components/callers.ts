// Admission of callers, the log of their calls, and the streams that they read.
import { ActionLog } from "../actions/action-log.ts";
import { Admission } from "../admission/admission.ts";
import { RequestLog } from "../requests/request-log.ts";
import { Listeners } from "../streams/listeners.ts";
import { EventStreams } from "../streams/event-streams.ts";
import { RecentFacts } from "../streams/recent-facts.ts";
import { Watchers } from "../streams/watchers.ts";
import type { ObjectHost } from "./object-host.ts";
import type { StoredData } from "./stored-data.ts";

export type Callers = ReturnType<typeof createCallers>;

export function createCallers({ ctx, deployment, rearm }: ObjectHost, data: StoredData) {
  const { sql, identity, ownerId, progress, renderContext, stores } = data;
  const recent = new RecentFacts(identity.uuid, progress.facts);
  const watchers = new Watchers(ctx, { renderContext, owner: ownerId, history: () => stores.historySync.progress(), recent });
  const eventStreams = new EventStreams(ctx, renderContext, ownerId, recent);

  const admission = new Admission(sql, () => identity.record, deployment.limits);
  const listeners = new Listeners({
    ctx,
    connection: identity.uuid,
    renderContext,
    isActive: (owner) => {
      const hash = /^connection_key:(.+)$/.exec(owner)?.[1];
      return hash === undefined || admission.keys.isActive(hash);
    },
    onChange: rearm,
  });
  const keyOf = (hash: string) => admission.keys.idOf(hash);
  const keyNames = () => admission.keys.names();
  const actionLog = new ActionLog({ sql, keyOf, keyNames, links: admission.pairingLinks });
  const requests = new RequestLog({ sql, connection: identity.uuid, keyOf, keyNames, onAdded: () => watchers.changed("requests") });
  return { recent, watchers, eventStreams, admission, listeners, actionLog, requests };
}
