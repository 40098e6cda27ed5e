// The receivers of the connection's events: webhooks, browsers and the owner.
import { settingsOf, webhookHosts } from "#root/src/env.ts";
import { log } from "#root/src/log.ts";
import { accountGuardStub } from "#root/src/services/accounts/guard.ts";
import { Deliveries } from "../delivery/deliveries.ts";
import { createOwnerMails, ownerMailer } from "../owner-mail/owner-mail.ts";
import { Notifications } from "../notifications/notifications.ts";
import { egressOf } from "../delivery/outgoing.ts";
import type { ObjectHost } from "./object-host.ts";
import type { Callers } from "./callers.ts";
import type { StoredData } from "./stored-data.ts";

export type Receivers = ReturnType<typeof createReceivers>;

export function createReceivers({ ctx, env, deployment, rearm }: ObjectHost, data: StoredData, { watchers }: Callers) {
  const { sql, catchUp, counters, dataKeys, identity, instance, instanceRef, ownerId, stores, times, traces } = data;
  const settings = settingsOf(env);
  const mailOwner = ownerMailer(env, identity);
  const policy = { own: [settings.APP_URL, settings.BASE_URL], loopback: deployment.loopbackReceivers, listed: webhookHosts(env) };
  const deliveries = new Deliveries({
    sql,
    transact: (run) => ctx.storage.transactionSync(run),
    counters,
    connection: identity.uuid,
    catchUp,
    times,
    appUrl: settings.APP_URL,
    networkSuffix: settings.NETWORK_SUFFIX,
    policy,
    egressFetch: egressOf(env),
    clock: () => Date.now(),
    traceAttempt: (attempt) => traces.attempt(attempt),
    vault: () => dataKeys.vault(),
    isSuspended: () => identity.record?.owner_suspended === true,
    instance: instanceRef,
    mailOwner,
    notifyFailing: async (endpointId) => {
      const owner = ownerId();
      if (owner !== null) await accountGuardStub(env, owner).addFailing(endpointId, identity.uuid);
    },
    // `event` is renamed, because `log` uses that name for the event of the log line.
    log: (what, { event = null, ...fields }, routine) =>
      log(what, { ...fields, type: event }, routine === true ? data.routine() : undefined),
    onStored: () => watchers.changed("deliveries"),
    rearm,
  });
  const notifications = new Notifications({ env, sql, identity, stores, policy, connection: instanceRef, times, rearm });
  const ownerMails = createOwnerMails({
    env,
    sql,
    identity,
    instance,
    send: mailOwner,
    webhookFailingSince: () => deliveries.webhook.failingSince(),
    rearm,
  });
  return { deliveries, notifications, ownerMails };
}
