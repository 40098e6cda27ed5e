// Emails to a number's owner: how they are sent, and which ones the object sends by itself.
import type { Env } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { poolOf } from "#root/src/services/bridges/pool-stub.ts";
import { addOwnerNotice } from "#root/src/services/mail/owner-notices.ts";
import type { OwnerNotice } from "#root/src/services/mail/send.ts";
import type { Identity } from "../instance/identity.ts";
import type { Instance } from "../instance/instance.ts";
import { OwnerAlerts } from "./owner-alerts.ts";
import { OwnerWarnings } from "./owner-warnings.ts";

const AWAY_MAILS: ReadonlySet<OwnerNotice["kind"]> = new Set(["connection_stopped", "connection_down"]);

/** Returns false if the owner's guard could not store the notice, so that the caller retries later. */
export type MailOwner = (mail: OwnerNotice) => Promise<boolean>;

export function ownerMailer(env: Env, identity: Identity): MailOwner {
  return async (mail) => {
    const ownerId = identity.record?.owner_id ?? null;
    if (ownerId === null) return false;
    try {
      await addOwnerNotice(env, ownerId, mail);
      return true;
    } catch (error) {
      log("connection.mail_failed", errorFields(error));
      return false;
    }
  };
}

type Dependencies = {
  env: Env;
  sql: SqlStorage;
  identity: Identity;
  instance: Instance;
  send: MailOwner;
  webhookFailingSince: () => number | null;
  rearm: () => void;
};

export function createOwnerMails({ env, sql, identity, instance, send, webhookFailingSince, rearm }: Dependencies) {
  /** Emails about a long disconnect. If many numbers are offline, the pool instead sends each owner one email about all of them. */
  const mailOwner: MailOwner = async (mail) => {
    const isAway = AWAY_MAILS.has(mail.kind) && instance.state.status === "connecting";
    return (isAway && (await poolOf(env, identity.record?.home ?? null).takeAway(identity.uuid))) || send(mail);
  };
  const common = { sql, name: () => identity.instanceRef(instance.state.phone).name, mailOwner, rearm };
  return {
    alerts: new OwnerAlerts(common),
    warnings: new OwnerWarnings({
      ...common,
      settings: () => identity.settings.alerts,
      state: () => instance.state,
      webhookFailingSince,
    }),
  };
}
