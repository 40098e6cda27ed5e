// The only worker file that reads environment variables.
import type * as z from "zod";
import { Settings } from "./settings.ts";

export type Env = {
  /** Use `connectionStub`, `poolOf` and similar functions to get typed stubs. */
  CONNECTION: DurableObjectNamespace;
  ADDRESS_GUARD: DurableObjectNamespace;
  ACCOUNT_GUARD: DurableObjectNamespace;
  BRIDGE_POOL: DurableObjectNamespace;
  BRIDGE_CONTAINER: DurableObjectNamespace;
  /** The containers of the pool's shards, by region (docs/operate/bridges.md, "Pool shards"). */
  BRIDGE_CONTAINER_ENAM: DurableObjectNamespace;
  BRIDGE_CONTAINER_WNAM: DurableObjectNamespace;
  BRIDGE_CONTAINER_WEUR: DurableObjectNamespace;
  BRIDGE_CONTAINER_EEUR: DurableObjectNamespace;
  BRIDGE_CONTAINER_APAC: DurableObjectNamespace;
  BRIDGE_CONTAINER_SAM: DurableObjectNamespace;
  DB: D1Database;
  MEDIA: R2Bucket;
  MAIL: SendEmail;
  ASSETS?: Fetcher;
  /** Filters outgoing requests in the sandbox, as the platform does in production. */
  EGRESS?: Fetcher;
  /** The next three bindings exist only in the sandbox and reach services on this machine. Production uses `fetch`. */
  COLLECTOR?: Fetcher;
  ISSUER?: Fetcher;
  GRAPH?: Fetcher;
  /** Reaches the receivers that WEBHOOK_HOSTS lists, on a single machine. Absent if WEBHOOK_HOSTS lists none. */
  RECEIVERS?: Fetcher;
  WEBHOOK_HOSTS?: string;
  /** Reports disk and backup problems on a single machine. */
  MACHINE?: Fetcher;
} & Record<keyof z.input<typeof Settings>, string | undefined>;

/** The `host:port` of webhook receivers that may be private. Always empty at the edge. */
export function webhookHosts({ RECEIVERS, WEBHOOK_HOSTS }: Env): readonly string[] {
  return RECEIVERS === undefined || WEBHOOK_HOSTS === undefined ? [] : WEBHOOK_HOSTS.split(",");
}

/** Requests fail if any of these is missing. ASSETS and BRIDGE_CONTAINER affect only some requests (src/services/health/self-check.ts). */
const BINDINGS = ["CONNECTION", "ADDRESS_GUARD", "ACCOUNT_GUARD", "BRIDGE_POOL", "DB", "MEDIA", "MAIL"] as const;

export type ConfigurationProblem = { name: string; problem: string };

/** Missing bindings and invalid settings. The values are not included. */
export function configurationProblems(env: Env): ConfigurationProblem[] {
  const missing = BINDINGS.flatMap((name) => (env[name] === undefined ? [{ name, problem: "the binding is missing" }] : []));
  if (parsed.has(env)) return missing;
  const issues = Settings.safeParse(env).error?.issues ?? [];
  const settings = issues.map(({ path, message }) => {
    const name = path.join(".");
    return { name, problem: env[name as keyof Env] === undefined ? "not set" : message };
  });
  return [...missing, ...settings];
}

const parsed = new WeakMap<object, Settings>();

/** Validated once per isolate. Throws with the names of invalid settings, never their values. */
export function settingsOf(env: Env): Settings {
  const known = parsed.get(env);
  if (known !== undefined) return known;
  const result = Settings.safeParse(env);
  if (!result.success) {
    const bad = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`bad settings: ${bad.join("; ")}`);
  }
  parsed.set(env, result.data);
  return result.data;
}
