// What webhook delivery needs from the object that hosts it.
import type { InstanceRef } from "@gateway/domain/gateway-event.ts";
import type { CatchUp } from "@gateway/domain/spread.ts";
import type { UrlPolicy } from "@gateway/domain/egress/outgoing-url.ts";
import type { Vault } from "#root/src/services/secrets/vault.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import type { Tally } from "../statistics/counters.ts";
import type { OwnerMail } from "../owner-mail/owner-mailer.ts";
import type { TracedAttempt } from "../traces.ts";
import type { EgressFetch } from "./attempt.ts";

export type DeliveryHost = {
  sql: SqlStorage;
  counters: Tally;
  /** The connection's UUID: delivery ids depend on it. */
  connection: string;
  catchUp: CatchUp;
  times: StoredTimes;
  /** Encrypts signing secrets; null while its key is not available. */
  vault: () => Vault | null;
  /** Nothing is delivered for now, and everything later: the owner's account is suspended. */
  held: () => boolean;
  /** The connection as test events and mails name it. */
  instance: () => InstanceRef;
  /** Without a trailing slash. */
  appUrl: string;
  networkSuffix: string;
  policy: UrlPolicy;
  egressFetch: EgressFetch;
  /** Unix ms. */
  clock: () => number;
  /** Mails the connection's owner; false: retry later. */
  mailOwner: (mail: OwnerMail) => Promise<boolean>;
  /** Deliveries fail at this endpoint of the account; throws when its guard could not be reached. */
  notifyFailing: (endpointId: string) => Promise<void>;
  /** An attempt of a traced event has ended. */
  traceAttempt: (attempt: TracedAttempt) => void;
  /** One log line of fields: no secret, no message text, no query of a URL. Of `routine` ones a share is written. */
  log: (what: string, fields: Readonly<Record<string, string | number | boolean | null>>, routine?: boolean) => void;
  /** Deliveries or ends of attempts were stored: what is shown of them has changed. */
  onStored: () => void;
  /** What is due has changed outside of an event: the alarm is to be set anew (`nextDue`). */
  rearm: () => void;
  bounds?: QueueBounds;
};

/** The maximum that may wait in one lane; `bytes` counts bodies. */
export type QueueBounds = { rows: number; bytes: number };
