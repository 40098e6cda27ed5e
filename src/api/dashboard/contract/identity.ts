import * as z from "zod";
import { done, list, name, one, time, timeOrNull, type ContractRow } from "./common.ts";

const Subscription = z.strictObject({
  plan: z.string(),
  status: z.enum(["active", "trialing", "past_due", "canceled"]),
  max_instances: z.number().int(),
  current_period_end: timeOrNull,
});

const SignedIn = z.strictObject({ id: z.string(), email: z.string(), name: z.string(), role: z.enum(["user", "admin"]) });

const Me = SignedIn.extend({
  subscription: Subscription.nullable(),
  usage: z.strictObject({ instances: z.number().int() }),
  billing_url: z.string().nullable(),
});

/** `browser` and `system` are null if the browser did not reveal them. */
const Session = z.strictObject({
  id: z.string(),
  current: z.boolean(),
  browser: z.string().nullable(),
  system: z.string().nullable(),
  created_at: time,
  last_used_at: time,
  expires_at: time,
});

export const IDENTITY_CONTRACT = {
  /** Also succeeds for visitors who are not signed in, because an error would appear in the browser's console. */
  "GET /session": {
    response: one(
      z.strictObject({
        user: SignedIn.nullable(),
        /** True if the account is suspended. In that case, `user` is null. */
        suspended: z.boolean(),
        identity: z.strictObject({ kind: z.enum(["embedded", "issuer"]), name: z.string() }),
        sandbox: z.boolean(),
        /** The `host:port` of webhook receivers whose addresses may be private. Empty for visitors who are not signed in. */
        webhook_hosts: z.array(z.string()),
        /** The contact for users who need help, or null if none is configured. */
        support: z.strictObject({ name: z.string(), email: z.string(), phone: z.string() }).nullable(),
      }),
    ),
  },
  "POST /sign-out": { response: done },
  "GET /me": { response: one(Me) },
  "PATCH /me": { body: z.strictObject({ name }), response: one(Me) },
  "GET /sessions": { response: list(Session) },
  "DELETE /sessions": { response: one(z.strictObject({ count: z.number().int() })) },
  "DELETE /sessions/{session_id}": { response: done },
} as const satisfies Record<string, ContractRow>;
