import type { Env } from "../../env.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { retried } from "../object-stubs.ts";
import type { OwnerNotice } from "./send.ts";

/** When this returns, the owner's guard has stored the notice. It combines notices into one mail, sent after identity mails. */
export async function addOwnerNotice(env: Pick<Env, "ACCOUNT_GUARD">, ownerId: string, notice: OwnerNotice): Promise<void> {
  await retried(() => accountGuardStub(env, ownerId).addNotice(ownerId, notice));
}
