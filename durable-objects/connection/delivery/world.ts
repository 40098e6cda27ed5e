// What the delivery engine needs of the object it lives in.
import type { InstanceRef } from "../../../src/domain/gateway-event.ts";
import type { UrlPolicy } from "../../../src/domain/egress/outgoing-url.ts";
import type { Outgoing } from "./attempt.ts";

export type DeliveryWorld = {
  sql: SqlStorage;
  /** The connection's UUID: delivery ids and the key of its secrets depend on it. */
  connection: string;
  stateSecret: string;
  /** How the connection presents itself now (test events, mails). */
  face: () => InstanceRef;
  /** Without a slash at its end. */
  appUrl: string;
  networkSuffix: string;
  policy: UrlPolicy;
  outgoing: Outgoing;
  /** Unix ms. */
  clock: () => number;
  /** Mails the owner of the connection; false: try again later. */
  mailOwner: (subject: string, text: string) => Promise<boolean>;
  /** One line, fields only: no secret, no text of a message, no query of a URL. */
  log: (what: string, fields: Readonly<Record<string, string | number | boolean | null>>) => void;
  /** What is due has changed outside of an event: set the alarm anew (`nextDue`). */
  rearm: () => void;
  bounds?: Bounds;
};

/** The most that may wait in one lane; `bytes` counts bodies. */
export type Bounds = { rows: number; bytes: number };
