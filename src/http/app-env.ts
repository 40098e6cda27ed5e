// Hono's bindings and variables in every handler.
import type { Context } from "hono";
import type { Env } from "../env.ts";

/** Facts for the one log line of this request: no secrets, no message text, no values of paths or queries. */
export type LogFacts = {
  /** The route's pattern, never the path itself: paths hold phone numbers. */
  route?: string;
  operation?: string;
  connection?: string;
  user?: string;
  code?: string;
  replayed?: boolean;
  ageSeconds?: number;
  /** The request's key was issued under this entry of KEY_SECRET, which is not the current one. */
  old_key_kid?: number;
  /** While traces are on: of the trace that this request is recorded in, or that its caller says it belongs to. */
  trace_id?: string;
};

/** Read by `c.get`: `c.var` copies all of them each time. */
export type AppEnv = {
  Bindings: Env;
  Variables: {
    requestId: string;
    /** When the request arrived (Unix ms). */
    receivedAt: number;
    /** With what status the connection's request log has the call; absent: it does not have it. */
    loggedStatus?: number;
    facts: LogFacts;
    /** The sandbox alone: files may be fetched from `http://127.0.0.1` too. */
    loopbackFiles: boolean;
  };
};

export type AppContext = Context<AppEnv>;
