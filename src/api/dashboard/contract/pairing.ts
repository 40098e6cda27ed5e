// Pairing links, as shown to their creators and to the holder of the phone.
import * as z from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";
import { Phone } from "@gateway/protocol/ids.ts";
import { PAIRING_LINK_ENDS } from "@gateway/protocol/operations/instance.ts";
import { done, list, name, one, time, timeOrNull, type ContractRow } from "./common.ts";
import { PairingCode } from "./connections.ts";

const PairingLink = z.strictObject({
  id: z.string(),
  label: z.string(),
  created_at: time,
  expires_at: time,
  opened_at: timeOrNull,
  ended: z.enum(PAIRING_LINK_ENDS).nullable(),
});

/** `url` is shown only once, and is null when an Idempotency-Key is repeated. */
const NewPairingLink = PairingLink.extend({ url: z.string().nullable() });

/** The phone's holder sees the label and nothing else about the account. `status` is null if the link has ended. */
const Pairing = PairingLink.pick({ label: true, expires_at: true, ended: true }).extend({
  status: z.enum(INSTANCE_STATUSES).nullable(),
  status_reason: z.string().nullable(),
});

const { minMinutes, maxMinutes } = LIMITS.pairingLinks;

export const PAIRING_CONTRACT = {
  "GET /connections/{id}/pairing-links": { response: list(PairingLink) },
  "POST /connections/{id}/pairing-links": {
    body: z.strictObject({ label: name, minutes: z.number().int().min(minMinutes).max(maxMinutes).default(60) }),
    response: one(NewPairingLink),
  },
  "DELETE /connections/{id}/pairing-links/{link_id}": { response: done },
  /** The token is stored in a cookie, so that no URL or log contains it. */
  "POST /pairing": { body: z.strictObject({ token: z.string().max(200) }), response: one(Pairing) },
  "GET /pairing": { response: one(Pairing.nullable()) },
  "POST /pairing/connect": { response: done },
  "POST /pairing/code": { body: z.strictObject({ phone_number: Phone }), response: one(PairingCode) },
  "GET /pairing/stream": { response: "events" },
} as const satisfies Record<string, ContractRow>;
