// An administrator's change. It requires the `admin` scope, accepts a `reason`, and is recorded in the audit log.
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { problem } from "#root/src/http/problems.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { type Audited, audited } from "./audit/page.ts";
import type { AccountContext } from "./context.ts";
import { type ActionRoute, type ActionSpec, type Given, route } from "./route.ts";

const REASON_CHARACTERS = 500;

const reason = z
  .string()
  .trim()
  .min(1)
  .refine((text) => hasAtMostCharacters(text, REASON_CHARACTERS), `must be at most ${REASON_CHARACTERS} characters`)
  .optional()
  .openapi({
    maxLength: REASON_CHARACTERS,
    ...says({
      en: "The reason; it appears only in the audit log",
      pt: "O motivo; aparece só no registro de auditoria",
    }),
    example: "Asked for by the customer",
  });

const withReason = { reason };

type AdminInput<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject> = Given<P, Q, B> & { reason: string | null };

type AdminSpec<T, P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends z.ZodType> = Omit<
  ActionSpec<T, P, Q, B, R>,
  "scope" | "run" | "bearerOnly" | "ownerOnly"
> & {
  /** If true, a body that contains only the reason is rejected. */
  someField?: true;
  /** If the action fails in an expected way, it has changed nothing, and the audit log shows it as refused. */
  run: (context: AccountContext, parsed: AdminInput<P, Q, B>) => Promise<Outcome<Audited<T>>>;
};

export function adminAction<
  T,
  R extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>(spec: AdminSpec<T, P, Q, B, R>): ActionRoute {
  const inQuery = spec.method === "delete";
  return route<T, R>({
    ...spec,
    scope: "admin",
    ...(inQuery ? { query: (spec.query ?? z.object({})).extend(withReason) } : {}),
    ...(inQuery ? {} : { body: bodyOf(spec) }),
    run: (context, parsed) => {
      const given = (inQuery ? parsed.query : parsed.body)["reason"];
      const input = { ...parsed, reason: typeof given === "string" ? given : null };
      const target = Object.values(parsed.params).join("/");
      const act = { keyId: context.key?.id ?? null, action: spec.name, target, reason: input.reason };
      return audited(context, act, () => spec.run(context, input as AdminInput<P, Q, B>));
    },
  });
}

function bodyOf({ body = z.strictObject({}), someField }: { body?: z.ZodObject; someField?: true }): z.ZodObject {
  const whole = body.extend(withReason);
  if (someField !== true) return whole;
  const isChange = (given: Record<string, unknown>) =>
    Object.entries(given).some(([name, value]) => name !== "reason" && value !== undefined);
  return whole.refine(isChange, problem("empty_change")).openapi({ minProperties: 1 });
}
