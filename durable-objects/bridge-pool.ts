// Which bridges are alive and who hosts which session (architecture, "One home for every fact").
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../src/env.ts";

export class BridgePool extends DurableObject<Env> {}
