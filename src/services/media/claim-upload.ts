// Whether a file of the dashboard may be stored: so many bytes of an account may wait for their messages.
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { retried } from "../object-stubs.ts";

/** Claims bytes on the connection's account. A known token changes its bytes; 0 bytes never fail. Fails `upload_limit`. */
export async function claimOfAccount(
  env: Pick<Env, "ACCOUNT_GUARD">,
  ownerId: string,
  token: string,
  bytes: number,
): Promise<Outcome<object>> {
  const waitMs = await retried(() => accountGuardStub(env, ownerId).claimUpload(token, bytes));
  return waitMs === null ? succeed({}) : fail("upload_limit", { retryAfter: Math.ceil(waitMs / 1000) });
}
