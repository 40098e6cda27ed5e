// The account's webhook endpoints, as far as this connection delivers to them (docs/use/account-api.md, "Webhook endpoints"). The worker
// manages them; the object stores their deliveries. All fail `webhook_not_found` for an endpoint that does not apply to this connection.
import { z } from "zod";
import { DeliveryDetail, DeliveryPage, DeliveryQuery, TestAnswer } from "../records.ts";
import { BOTH_KINDS } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

const endpoint = { endpoint_id: z.string() };

export const ENDPOINT_OPERATIONS = {
  "endpoints.test": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object(endpoint),
    output: TestAnswer,
  },
  "endpoints.deliveries": { role: "owner", kinds: BOTH_KINDS, input: DeliveryQuery.extend(endpoint), output: DeliveryPage },
  "endpoints.delivery": { role: "owner", kinds: BOTH_KINDS, input: z.object({ ...endpoint, id: z.string() }), output: DeliveryDetail },
  /** Fails `webhook_inactive` while the endpoint is switched off. */
  "endpoints.resend": { role: "owner", kinds: BOTH_KINDS, input: z.object({ ...endpoint, id: z.string() }), output: nothing },
  /** Resends all failed deliveries of the period (Unix ms); `until` null: until now. */
  "endpoints.resend_failed": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ ...endpoint, since: z.number().int(), until: z.number().int().nullable() }),
    output: z.object({ count: z.number().int() }),
  },
} as const satisfies Record<string, OperationRow>;
