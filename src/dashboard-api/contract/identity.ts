// Who is signed in, and by what.
import { z } from "zod";
import type { ContractRow } from "./row.ts";
import { one, timeOrNull } from "./common.ts";

const Subscription = z.strictObject({
  plan: z.string(),
  status: z.string(),
  max_instances: z.number().int(),
  current_period_end: timeOrNull,
});

const Me = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(["user", "admin"]),
  subscription: Subscription.nullable(),
});

const SignedIn = Me.omit({ subscription: true });

export const IDENTITY_CONTRACT = {
  /** Also for who is not signed in, so that a page can ask without an error on its console. */
  "GET /session": {
    response: one(
      z.strictObject({
        user: SignedIn.nullable(),
        identity: z.strictObject({ kind: z.enum(["embedded", "issuer"]), name: z.string() }),
        sandbox: z.boolean(),
      }),
    ),
  },
  "GET /me": { response: one(Me) },
} as const satisfies Record<string, ContractRow>;
