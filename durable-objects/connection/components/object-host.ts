import type { Env } from "#root/src/env.ts";
import type { Deployment } from "../../shared/deployment.ts";

export type ObjectHost = {
  ctx: DurableObjectState;
  env: Env;
  deployment: Deployment;
  /** Called after a change that can affect the next due time or the instance. */
  rearm: () => void;
};
