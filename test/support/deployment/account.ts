// The account that the stand-in of wrangler keeps.

type Secrets = Record<string, string>;

export type Account = {
  loggedIn: boolean;
  databases: { uuid: string; name: string }[];
  buckets: string[];
  /** By environment; absent before there is a worker. */
  secrets: { production?: Secrets; staging?: Secrets };
  deploys: number;
  /** A command that fails, as `d1 create`. */
  failing: string | null;
};

export const EMPTY_ACCOUNT: Account = { loggedIn: true, databases: [], buckets: [], secrets: {}, deploys: 0, failing: null };
