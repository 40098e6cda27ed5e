import * as z from "zod";
import { done, one, type ContractRow } from "./common.ts";

const base64Url = (bytes: number) => z.string().regex(new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}$`));

const Notifications = one(z.strictObject({ shows_text: z.boolean().nullable() }));

export const NOTIFICATION_CONTRACT = {
  /** `stored_key_id` is the key of this session's subscription, or null if the session still has to subscribe. */
  "GET /push": { response: one(z.strictObject({ key_id: z.string(), public_key: z.string(), stored_key_id: z.string().nullable() })) },
  /** Stores the push subscription of this session's browser, made with the server key `key_id`. */
  "PUT /push": {
    body: z.strictObject({
      endpoint: z.string().max(2048),
      p256dh: base64Url(65),
      auth: base64Url(16),
      key_id: z.string().regex(/^\d{1,3}\.\d{1,6}$/),
      language: z.enum(["pt", "en"]),
    }),
    response: done,
  },
  /** Notifications of new messages for this session. `shows_text` is null if the session gets none. */
  "GET /connections/{id}/notifications": { response: Notifications },
  "PUT /connections/{id}/notifications": { body: z.strictObject({ shows_text: z.boolean().nullable() }), response: Notifications },
} as const satisfies Record<string, ContractRow>;
