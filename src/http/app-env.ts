import type { Context } from "hono";
import type { Env } from "../env.ts";
import { errorFields, log } from "../log.ts";

/** Fields for the request's log line. They contain no secrets, no message text, and no path or query values. */
export type LogFacts = {
  route?: string;
  operation?: string;
  connection?: string;
  user?: string;
  code?: string;
  replayed?: boolean;
  ageSeconds?: number;
  /** Set if the key was issued under this outdated entry of KEY_SECRET. */
  old_key_kid?: number;
  /** Id of the recorded trace, or of the caller's trace. */
  trace_id?: string;
};

/** The variables are read with `c.get`, because `c.var` copies all of them on each access. */
export type AppEnv = {
  Bindings: Env;
  Variables: {
    requestId: string;
    receivedAt: number;
    /** The status to show in the connection's request log. Without it, the request is not logged there. */
    loggedStatus?: number;
    facts: LogFacts;
    /** True only in the sandbox, where files, proxies and webhooks may also be at `http://127.0.0.1`. */
    allowsLoopback: boolean;
  };
};

export type AppContext = Context<AppEnv>;

/** Runs a write about the caller, such as a key's last use, after the response. A failure is logged, and the next request tries again. */
export function noteLater(c: AppContext, note: Promise<void>): void {
  c.executionCtx.waitUntil(note.catch((error: unknown) => log("request.caller_not_noted", errorFields(error))));
}
