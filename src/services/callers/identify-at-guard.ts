// The caller behind an account key without a statement of D1 for each call: the guard of the key's account remembers it, and is told of
// whatever changes it (docs/operate/security.md, "Keys and tokens").
import { LRUCache } from "lru-cache";
import type { Env } from "../../env.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { retried } from "../object-stubs.ts";
import { type Identified, identifyKey } from "./identify.ts";

/** By the hash of the key, as far as this isolate knows: a key never changes its account. */
const accountOf = new LRUCache<string, string>({ max: 10_000 });

/** As `identifyKey`. Whom the guard cannot tell D1 tells: also the guard of an earlier release, which cannot be asked. */
export async function identifyAtGuard(
  env: Pick<Env, "DB" | "ACCOUNT_GUARD">,
  hash: string,
  instance: string | null,
): Promise<Identified | null> {
  const userId = accountOf.get(hash);
  if (userId !== undefined) {
    try {
      return await retried(() => accountGuardStub(env, userId).identify(hash, instance));
    } catch {
      accountOf.delete(hash);
    }
  }
  const found = await identifyKey(env.DB, hash, instance);
  if (found !== null) accountOf.set(hash, found.user.id);
  return found;
}
