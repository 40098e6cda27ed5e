import type { AppContext } from "./app-env.ts";

/** The interface's version, as the machine-readable description carries it (interface, Versioning). */
const VERSION = "1.0";

/** `GET /api/health`: this worker is up (catalogue A1). */
export async function health(c: AppContext): Promise<Response> {
  c.var.facts.route = "/api/health";
  return c.json({ status: "ok", version: VERSION, time: new Date().toISOString() });
}
