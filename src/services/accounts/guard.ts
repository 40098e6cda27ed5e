// Calls of an account's guard: limits and idempotency of requests about the account itself.
import type { Env } from "../../env.ts";
import type { Answer, Call, AccountAction } from "../../protocol/connection.ts";
import { isTransientError } from "../object-stubs.ts";
import { fail } from "../../protocol/failures.ts";

export type AccountGuardStub = { perform(call: Call, act: AccountAction): Promise<Answer> };

/** Runs `act` once the account's guard has admitted the call; a repeated call gets the first answer. */
export async function passAccountGuard(env: Pick<Env, "ACCOUNT_GUARD">, userId: string, call: Call, act: AccountAction): Promise<Answer> {
  const guard = env.ACCOUNT_GUARD.getByName(userId) as unknown as AccountGuardStub;
  try {
    return await guard.perform(call, act);
  } catch (error) {
    if (isTransientError(error)) return fail("unavailable");
    throw error;
  }
}
