// The only worker file that reads environment variables.
import * as z from "zod";
import { LOCATIONS } from "./domain/fleet/locations.ts";
import { readShards } from "./domain/fleet/shards.ts";
import { readSecrets, type VersionedSecrets } from "./domain/keys/secrets.ts";
import { CLIENT_VERSION } from "@gateway/protocol/bridge-socket.ts";
import { TRACING_VARIABLES } from "./tracing/settings.ts";

export type Env = {
  /** Use `connectionStub`, `poolOf` and similar functions for typed stubs. */
  CONNECTION: DurableObjectNamespace;
  ADDRESS_GUARD: DurableObjectNamespace;
  ACCOUNT_GUARD: DurableObjectNamespace;
  BRIDGE_POOL: DurableObjectNamespace;
  BRIDGE_CONTAINER: DurableObjectNamespace;
  /** Containers of the pool's shards, by region (docs/operate/bridges.md, "Pool shards"). */
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
  /** Sandbox only: filters outgoing requests, which the platform does in production. */
  EGRESS?: Fetcher;
  /** The next three exist only in the sandbox, for services on this machine. Production uses `fetch`. */
  COLLECTOR?: Fetcher;
  ISSUER?: Fetcher;
  GRAPH?: Fetcher;
} & Record<keyof z.input<typeof Settings>, string | undefined>;

const url = z.url().transform((text) => text.replace(/\/+$/, ""));
/** `<kid>:<secret>` entries separated by spaces; the first one is current (docs/operate/secrets.md, "Rotating secrets"). */
const secrets = z.string().transform((setting, context): VersionedSecrets => {
  const read = readSecrets(setting);
  if (read.ok) return read.secrets;
  // Excludes the value, because errors may be printed.
  context.addIssue({ code: "custom", message: read.problem });
  return z.NEVER;
});

const GRAPH_ADDRESS = /^(https:\/\/[^/?#@]+|http:\/\/127\.0\.0\.1(:\d{1,5})?)$/;

const clientVersion = z.union([z.literal(""), z.string().regex(CLIENT_VERSION)]).default("");

const Settings = z.object({
  APP_URL: url,
  BASE_URL: url,
  NETWORK_SUFFIX: z.string().min(1).default("s.whatsapp.net"),
  MAIL_FROM: z.string().min(3),
  /** Address of the user who becomes an administrator after confirming it; empty: nobody. In lower case. */
  ADMIN_EMAIL: z
    .union([z.literal(""), z.email().max(254)])
    .default("")
    .transform((email) => email.toLowerCase()),
  /** `open`: new accounts get a subscription; `managed`: an administrator or a billing system sets it. */
  SUBSCRIPTIONS: z.enum(["open", "managed"]).default("managed"),
  /** Number of instances in the subscriptions that `open` grants. */
  SUBSCRIPTION_INSTANCES: z.coerce.number().int().min(1).max(10_000).default(10),
  IDENTITY_ISSUER: z.string().default(""),
  IDENTITY_AUDIENCE: z.string().default(""),
  /** The dashboard's client id at the issuer; empty: no sign-in through the issuer. */
  IDENTITY_CLIENT_ID: z.string().default(""),
  /** The dashboard's client secret at the issuer; empty: a public client. */
  IDENTITY_CLIENT_SECRET: z.string().default(""),
  /** Name on the sign-in button; empty: the issuer's host. */
  IDENTITY_NAME: z.string().max(60).default(""),
  /** Link to the billing page; empty: no link. */
  BILLING_URL: z.union([z.literal(""), z.url({ protocol: /^https$/ })]).default(""),
  /** The support contact that the dashboard shows where only the operator can help; empty: not shown. */
  SUPPORT_NAME: z.string().max(60).default(""),
  SUPPORT_EMAIL: z.union([z.literal(""), z.email().max(254)]).default(""),
  /** Digits with country code. */
  SUPPORT_PHONE: z.union([z.literal(""), z.string().regex(/^[1-9]\d{6,14}$/)]).default(""),
  /** `on`: linking may need a passkey from the owner's browser (docs/operate/operations.md, "Accounts that require a passkey"). */
  PASSKEY_CEREMONY: z.enum(["on", "off"]).default("off"),
  /** Sessions of one network never run on bridges of the other network. */
  BRIDGE_NETWORK: z.enum(["real", "local"]).default("real"),
  /** URL of Meta's Graph API; in the sandbox only, of the simulated one on this machine. */
  GRAPH_URL: url.refine((address) => GRAPH_ADDRESS.test(address), "https, or http on 127.0.0.1").default("https://graph.facebook.com"),
  GRAPH_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/)
    .default("v23.0"),
  BRIDGE_HOST: z.enum(["cloudflare", "external"]).default("external"),
  /** Location of new objects (docs/operate/deployment.md, "Region"); empty: near the first caller. */
  REGION: z.union([z.literal(""), z.enum(LOCATIONS)]).default(""),
  /** Shards that get new connections, as `weur:4,sam:2` (docs/operate/bridges.md, "Pool shards"); empty: none. */
  POOL_SHARDS: z
    .string()
    .default("")
    .transform((setting, context) => {
      const shards = readShards(setting);
      if (shards !== null) return shards;
      context.addIssue({ code: "custom", message: "regions with their number of shards, as weur:4,sam:2" });
      return z.NEVER;
    }),
  /** Moves this many connections per minute from shards that POOL_SHARDS does not name to shards that it names; 0: none. */
  POOL_REHOMED_PER_MINUTE: z.coerce.number().int().min(0).max(300).default(0),
  /** The setting for bridges in containers (docs/operate/bridges.md, "Client version"); empty: not set. */
  BRIDGE_CLIENT_VERSION: clientVersion,
  BRIDGE_CLIENT_VERSION_MAX: clientVersion,
  /** Setting for bridges in containers (`session-bridge/README.md`, "Settings"). */
  BRIDGE_LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
  /** Secret for the tags of API keys and for encrypting the locators in them. */
  KEY_SECRET: secrets,
  /** Secret for encrypting stored secrets and the keys that encrypt session state. */
  STATE_SECRET: secrets,
  /** Secret for signing the credentials and tickets of bridges, which never receive it. */
  BRIDGE_SECRET: secrets,
  AUTH_SECRET: secrets,
  /** Share of routine log lines to write (docs/operate/log-events.md, "Log events"). */
  LOG_SAMPLE: z.coerce.number().min(0).max(1).default(1),
  ...TRACING_VARIABLES,
});
export type Settings = z.output<typeof Settings>;

/** Requests fail without any of these. ASSETS and BRIDGE_CONTAINER affect only some requests (src/services/health/self-check.ts). */
const BINDINGS = ["CONNECTION", "ADDRESS_GUARD", "ACCOUNT_GUARD", "BRIDGE_POOL", "DB", "MEDIA", "MAIL"] as const;

export type ConfigurationProblem = { name: string; problem: string };

/** Missing bindings and invalid settings, without their values. */
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
