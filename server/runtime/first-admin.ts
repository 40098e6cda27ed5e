// The link through which the first administrator chooses a password. `npm run setup` creates the same link for a deployment at the edge.
import { randomBytes } from "node:crypto";
import { passwordLink, passwordToken } from "@gateway/domain/keys/password-link.ts";
import { COUNT_ADMINISTRATORS, firstAdminStatements } from "#root/tools/setup/first-admin.ts";
import type { Database } from "./migrate.ts";
import type { ServerSettings } from "./worker-settings.ts";

/** Returns null if there is already an administrator, or if the account with this address is suspended or being deleted. */
export async function firstAdminLink(database: Database, { adminEmail, appUrl }: ServerSettings, now: number): Promise<string | null> {
  const { results } = await database.prepare(COUNT_ADMINISTRATORS).all();
  if (results[0]?.["administrators"] !== 0) return null;
  const token = passwordToken(randomBytes(24));
  const [addUser, addLink, countLinks] = firstAdminStatements(adminEmail.toLowerCase(), token, now);
  await database.batch([database.prepare(addUser), database.prepare(addLink)]);
  const made = await database.prepare(countLinks).all();
  return made.results[0]?.["links"] === 1 ? passwordLink(appUrl, token) : null;
}
