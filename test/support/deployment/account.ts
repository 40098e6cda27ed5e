// The fake wrangler's account, stored in a file that the test reads while setup runs.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Secrets = Record<string, string>;

export type Account = {
  loggedIn: boolean;
  databases: { uuid: string; name: string }[];
  buckets: string[];
  /** Databases and buckets, as `<name>: <location>`. */
  locations: string[];
  /** As `<bucket>: <lifecycle rule name>`. */
  rules: string[];
  /** By environment; absent until it has a worker. */
  secrets: { production?: Secrets; staging?: Secrets };
  deploys: number;
  /** A command that should fail, such as `d1 create`. */
  failing: string | null;
};

export const EMPTY_ACCOUNT: Account = {
  loggedIn: true,
  databases: [],
  buckets: [],
  locations: [],
  rules: [],
  secrets: {},
  deploys: 0,
  failing: null,
};

export function readAccount(folder: string): Account {
  return JSON.parse(readFileSync(join(folder, "account.json"), "utf8")) as Account;
}

export function changeAccount(folder: string, change: Partial<Account>, before = readAccount(folder)): void {
  const file = join(folder, "account.json");
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ ...before, ...change }));
  renameSync(`${file}.${process.pid}`, file);
}
