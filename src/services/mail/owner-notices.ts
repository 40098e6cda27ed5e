import type { Env } from "../../env.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { retried } from "../object-stubs.ts";
import type { OwnerNotice } from "./send.ts";

/** Resolves once the owner's account guard has stored the notice. The guard combines notices into one email; identity emails go first. */
export async function addOwnerNotice(env: Pick<Env, "ACCOUNT_GUARD">, ownerId: string, notice: OwnerNotice): Promise<void> {
  await retried(() => accountGuardStub(env, ownerId).addNotice(ownerId, notice));
}
