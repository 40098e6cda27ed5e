import type { InstanceRef } from "@gateway/domain/gateway-event.ts";
import type { CatchUp } from "@gateway/domain/catch-up.ts";
import type { UrlPolicy } from "@gateway/domain/egress/outgoing-url.ts";
import type { Vault } from "#root/src/services/secrets/vault.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import type { Tally } from "../statistics/counters.ts";
import type { OwnerNotice } from "#root/src/services/mail/send.ts";
import type { TracedAttempt } from "../tracing/traces.ts";
import type { EgressFetch } from "./attempt.ts";

export type DeliveryHost = {
  sql: SqlStorage;
  transact: <T>(run: () => T) => T;
  counters: Tally;
  connection: string;
  catchUp: CatchUp;
  times: StoredTimes;
  vault: () => Vault | null;
  /** True if deliveries must wait because the owner's account is suspended. */
  isSuspended: () => boolean;
  instance: () => InstanceRef;
  appUrl: string;
  networkSuffix: string;
  policy: UrlPolicy;
  egressFetch: EgressFetch;
  clock: () => number;
  mailOwner: (mail: OwnerNotice) => Promise<boolean>;
  /** Reports that deliveries to this account endpoint are failing. Throws if the guard cannot be reached. */
  notifyFailing: (endpointId: string) => Promise<void>;
  traceAttempt: (attempt: TracedAttempt) => void;
  /** Writes one log line, which must not contain secrets, message texts or the query of a URL. `routine` lines are sampled. */
  log: (what: string, fields: Readonly<Record<string, string | number | boolean | null>>, routine?: boolean) => void;
  /** Called after deliveries or results were stored, so that live views refresh. */
  onStored: () => void;
  /** Called if the next due time changed outside an event, so that the alarm is set again. */
  rearm: () => void;
  limits?: QueueLimits;
};

export type QueueLimits = { rows: number; bytes: number };
