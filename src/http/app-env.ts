import type { Context } from "hono";
import type { Env } from "../env.ts";

/** For the request's log line: no secrets, no message text, no values of paths or queries. */
export type LogFacts = {
  route?: string;
  operation?: string;
  connection?: string;
  user?: string;
  code?: string;
  replayed?: boolean;
  ageSeconds?: number;
  /** The key was issued under this outdated entry of KEY_SECRET. */
  old_key_kid?: number;
  /** The recorded trace, or that of the caller. */
  trace_id?: string;
};

/** Read with `c.get`: `c.var` copies all variables each time. */
export type AppEnv = {
  Bindings: Env;
  Variables: {
    requestId: string;
    receivedAt: number;
    /** The status in the connection's request log; absent: not logged there. */
    loggedStatus?: number;
    facts: LogFacts;
    /** Sandbox only: files may be fetched from `http://127.0.0.1` too. */
    loopbackFiles: boolean;
  };
};

export type AppContext = Context<AppEnv>;
