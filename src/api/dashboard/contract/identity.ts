import * as z from "zod";
import { SCOPES } from "@gateway/domain/keys/scopes.ts";
import { emailAddress } from "@gateway/domain/people/names-and-emails.ts";
import { ActionName } from "@gateway/protocol/operations/history.ts";
import { allowedIps, done, isChange, EMPTY_CHANGE, list, name, one, time, timeOrNull, type ContractRow, page } from "./common.ts";

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

const AccountKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  instance_ids: z.array(z.string()).nullable(),
  /** Null means that the key works from any address. */
  allowed_ips: z.array(z.string()).nullable(),
  /** Address of the last call that was refused because of `allowed_ips`. */
  refused_ip: z.string().nullable(),
  refused_at: timeOrNull,
  expires_at: timeOrNull,
  created_at: time,
  last_used_at: timeOrNull,
});

const base64Url = (bytes: number) => z.string().regex(new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}$`));

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
} as const satisfies Record<string, ContractRow>;

export const ACCOUNT_KEY_CONTRACT = {
  "GET /account-keys": { response: list(AccountKey) },
  /** Without `scopes`, the key gets all of the user's scopes except `admin`. */
  "POST /account-keys": {
    body: z.strictObject({
      name,
      scopes: z.array(z.enum(SCOPES)).min(1).nullish(),
      instance_ids: z.array(z.uuid()).min(1).max(100).nullish(),
      expires_at: z.iso.datetime({ offset: true }).nullish(),
      allowed_ips: allowedIps,
    }),
    response: one(AccountKey.extend({ key: z.string() })),
  },
  "PATCH /account-keys/{key_id}": {
    body: z
      .strictObject({ name: name.optional(), scopes: z.array(z.enum(SCOPES)).min(1).nullish(), allowed_ips: allowedIps })
      .refine(isChange, EMPTY_CHANGE),
    response: one(AccountKey),
  },
  "DELETE /account-keys/{key_id}": { response: done },
} as const satisfies Record<string, ContractRow>;

const SharedRole = z.enum(["operator", "viewer"]);

const Share = z.strictObject({ id: z.string(), email: z.string(), role: SharedRole, created_at: time, opened_at: timeOrNull });

/** Null means that the address already had access, so it gets no email. */
const NewShare = Share.extend({ invitation: z.enum(["sent", "later", "not_sent"]).nullable() });

export const SHARE_CONTRACT = {
  "GET /connections/{id}/shares": { response: list(Share) },
  "POST /connections/{id}/shares": { body: z.strictObject({ email: emailAddress, role: SharedRole }), response: one(NewShare) },
  "PATCH /connections/{id}/shares/{share_id}": { body: z.strictObject({ role: SharedRole }), response: one(Share) },
  "DELETE /connections/{id}/shares/{share_id}": { response: done },
  "DELETE /connections/{id}/shares/mine": { response: done },
} as const satisfies Record<string, ContractRow>;

/** `key` is a key's name or a link's label. `email` and `key` are null after a deletion. `subject` is a name, an address or a host. */
const Done = z.strictObject({
  id: z.number().int(),
  at: time,
  by: z.strictObject({
    kind: z.enum(["user", "account_key", "connection_key", "pairing_link", "gateway"]),
    email: z.string().nullable(),
    key: z.string().nullable(),
  }),
  act: ActionName,
  subject: z.string().nullable(),
});

const Notifications = one(z.strictObject({ shows_text: z.boolean().nullable() }));

export const AUDIT_CONTRACT = {
  /** Notifications of new messages for this session. `shows_text` is null if the session gets none. */
  "GET /connections/{id}/notifications": { response: Notifications },
  "PUT /connections/{id}/notifications": { body: z.strictObject({ shows_text: z.boolean().nullable() }), response: Notifications },
  "GET /connections/{id}/audit": {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      cursor: z
        .string()
        .regex(/^\d{1,16}$/)
        .optional(),
    }),
    response: page(Done),
  },
} as const satisfies Record<string, ContractRow>;
