import { randomBytes, randomUUID } from "node:crypto";
import * as z from "zod";
import { PASSWORD_LINK_LIFE_MS, passwordLink, passwordToken, storedPasswordIdentifier } from "@gateway/domain/keys/password-link.ts";
import { SetupProblem } from "./problem.ts";
import { jsonIn, mustRun, type Wrangler } from "./wrangler.ts";

const REMEDY = "Is the database migrated? `npm run setup` does it.";

export const COUNT_ADMINISTRATORS =
  "SELECT COUNT(*) AS administrators FROM user WHERE role = 'admin' AND status = 'active' AND email_verified = 1";

export async function hasAdministrator(wrangler: Wrangler): Promise<boolean> {
  const stdout = await mustRun(wrangler, ["d1", "execute", "DB", "--remote", "--json", "--command", COUNT_ADMINISTRATORS], REMEDY);
  const [first] = jsonIn(stdout, z.array(z.object({ results: z.array(z.object({ administrators: z.number() })) })));
  return (first?.results[0]?.administrators ?? 0) > 0;
}

/** Returns a one-time link for setting the password, valid for an hour (docs/operate/deployment.md, "The first administrator"). */
export async function firstAdminLink(wrangler: Wrangler, written: string, appUrl: string, now: number): Promise<string> {
  // Lower case, because the gateway stores addresses this way.
  const email = written.toLowerCase();
  const token = passwordToken(randomBytes(24));
  const statements = firstAdminStatements(email, token, now).join("; ");
  const stdout = await mustRun(wrangler, ["d1", "execute", "DB", "--remote", "--yes", "--json", "--command", statements], REMEDY);
  const done = jsonIn(stdout, z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }))).at(-1);
  if (done?.results[0]?.["links"] !== 1) {
    throw new SetupProblem(`the account of ${email} is suspended or being deleted`, "Name another address: npm run setup -- --admin-email");
  }
  return passwordLink(appUrl, token);
}

/** Adds an unconfirmed user unless the address has one, and then the password link. The last statement counts the links. */
export function firstAdminStatements(email: string, token: string, now: number): [string, string, string] {
  const address = text(email);
  const identifier = text(storedPasswordIdentifier(token));
  return [
    `INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES (${text(randomUUID())}, 'Admin', ${address}, 0, ${now}, ${now}) ON CONFLICT DO NOTHING`,
    `INSERT INTO verification (id, identifier, value, expires_at, created_at, updated_at) SELECT ${text(randomUUID())}, ${identifier}, id, ${now + PASSWORD_LINK_LIFE_MS}, ${now}, ${now} FROM user WHERE email = ${address} AND status = 'active'`,
    `SELECT COUNT(*) AS links FROM verification WHERE identifier = ${identifier}`,
  ];
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
