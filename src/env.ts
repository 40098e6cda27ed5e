// Bindings and validated settings: the only place that reads variables.
import { z } from "zod";
import { readShards } from "./domain/fleet/shards.ts";
import { readSecrets, type VersionedSecrets } from "./domain/keys/secrets.ts";
import { CLIENT_VERSION } from "./protocol/bridge/client-version.ts";
import { TRACING_VARIABLES } from "./tracing/settings.ts";

export type Env = {
  /** Object namespaces are untyped here: their typed stubs are `connectionStub`, `poolOf` and their like. */
  CONNECTION: DurableObjectNamespace;
  /** Reached through `countInvalidKey`: it is no RPC object. */
  ADDRESS_GUARD: DurableObjectNamespace;
  ACCOUNT_GUARD: DurableObjectNamespace;
  BRIDGE_POOL: DurableObjectNamespace;
  BRIDGE_CONTAINER: DurableObjectNamespace;
  /** Containers of one region each, where the deployment has them (docs/operate/bridges.md, "Pool shards"). */
  BRIDGE_CONTAINER_ENAM?: DurableObjectNamespace;
  BRIDGE_CONTAINER_WNAM?: DurableObjectNamespace;
  BRIDGE_CONTAINER_WEUR?: DurableObjectNamespace;
  BRIDGE_CONTAINER_EEUR?: DurableObjectNamespace;
  BRIDGE_CONTAINER_APAC?: DurableObjectNamespace;
  BRIDGE_CONTAINER_SAM?: DurableObjectNamespace;
  DB: D1Database;
  MEDIA: R2Bucket;
  MAIL: SendEmail;
  ASSETS?: Fetcher;
  /** Sandbox only: a service whose outgoing network is filtered; production sends with the platform's own filter. */
  EGRESS?: Fetcher;
  /** Sandbox only: leads to a collector of traces on this machine; production fetches it. */
  COLLECTOR?: Fetcher;
  /** Sandbox only: leads to an identity issuer on this machine; production fetches it. */
  ISSUER?: Fetcher;
  /** Sandbox only: leads to the Graph API on this machine; production fetches Meta's. */
  GRAPH?: Fetcher;
} & Record<keyof z.input<typeof Settings>, string | undefined>;

const url = z.url().transform((text) => text.replace(/\/+$/, ""));
/** `<kid>:<secret>` entries separated by blanks; the first one is current (docs/operate/secrets.md, "Rotating secrets"). */
const secrets = z.string().transform((setting, context): VersionedSecrets => {
  const read = readSecrets(setting);
  if (read.ok) return read.secrets;
  // Without the input: an error may be printed.
  context.addIssue({ code: "custom", message: read.problem });
  return z.NEVER;
});

const GRAPH_ADDRESS = /^(https:\/\/[^/?#@]+|http:\/\/127\.0\.0\.1(:\d{1,5})?)$/;

const clientVersion = z.union([z.literal(""), z.string().regex(CLIENT_VERSION)]).default("");

const Settings = z.object({
  /** The Connection API, dashboard and media links. */
  APP_URL: url,
  /** The Account API. */
  BASE_URL: url,
  NETWORK_SUFFIX: z.string().min(1).default("s.whatsapp.net"),
  MAIL_FROM: z.string().min(3),
  /** Its holder is an administrator once the address is confirmed; empty: nobody by this setting. In lower case. */
  ADMIN_EMAIL: z
    .union([z.literal(""), z.email().max(254)])
    .default("")
    .transform((email) => email.toLowerCase()),
  /** `open`: every account is given a subscription when it begins; `managed`: an administrator gives it, or a billing system. */
  SUBSCRIPTIONS: z.enum(["open", "managed"]).default("managed"),
  /** How many instances an account may have by a subscription that `open` gave. */
  SUBSCRIPTION_INSTANCES: z.coerce.number().int().min(1).max(10_000).default(10),
  IDENTITY_ISSUER: z.string().default(""),
  IDENTITY_AUDIENCE: z.string().default(""),
  /** The dashboard as the issuer knows it; empty: nobody signs in to the dashboard by the issuer. */
  IDENTITY_CLIENT_ID: z.string().default(""),
  /** A secret; empty: the dashboard is registered as a public client. */
  IDENTITY_CLIENT_SECRET: z.string().default(""),
  /** What the issuer is called on the button that leads to it; empty: by its host. */
  IDENTITY_NAME: z.string().max(60).default(""),
  /** Where an account's holder pays for it; empty: the dashboard has no such link. */
  BILLING_URL: z.union([z.literal(""), z.url({ protocol: /^https$/ })]).default(""),
  /** `on`: linking may be confirmed with a passkey that the owner's browser holds (docs/operate/operations.md, "Accounts that require a passkey"). */
  PASSKEY_CEREMONY: z.enum(["on", "off"]).default("off"),
  /** The network this deployment's bridges speak to: sessions of one are never placed on a bridge of the other. */
  BRIDGE_NETWORK: z.enum(["real", "local"]).default("real"),
  /** Where numbers of the Cloud API are asked: Meta's Graph, or the simulated one on this machine, which only the sandbox takes. */
  GRAPH_URL: url.refine((address) => GRAPH_ADDRESS.test(address), "https, or http on 127.0.0.1").default("https://graph.facebook.com"),
  GRAPH_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/)
    .default("v23.0"),
  BRIDGE_HOST: z.enum(["cloudflare", "external"]).default("external"),
  /** The shards of the pool that new connections are given to, as `weur:4,sam:2` (docs/operate/bridges.md, "Pool shards"); empty: none. */
  POOL_SHARDS: z
    .string()
    .default("")
    .transform((setting, context) => {
      const shards = readShards(setting);
      if (shards !== null) return shards;
      context.addIssue({ code: "custom", message: "regions with their number of shards, as weur:4,sam:2" });
      return z.NEVER;
    }),
  /** How many connections a minute go from pools that POOL_SHARDS does not name to one that it names; 0: none. */
  POOL_REHOMED_PER_MINUTE: z.coerce.number().int().min(0).max(300).default(0),
  /** Of bridges in containers (docs/operate/bridges.md, "Client version"); empty: not set. */
  BRIDGE_CLIENT_VERSION: clientVersion,
  BRIDGE_CLIENT_VERSION_MAX: clientVersion,
  /** Tags of API keys, encryption of their locators. */
  KEY_SECRET: secrets,
  /** Encrypts the keys that encrypt session state, and stored secrets. */
  STATE_SECRET: secrets,
  /** Signs the credentials and tickets of bridges, which never get the secret itself. */
  BRIDGE_SECRET: secrets,
  /** Signs dashboard sessions, encrypts the private keys of access tokens. */
  AUTH_SECRET: secrets,
  /** Of the lines of normal operation this share is written (docs/operate/log-events.md, "Log events"). */
  LOG_SAMPLE: z.coerce.number().min(0).max(1).default(1),
  ...TRACING_VARIABLES,
});
export type Settings = z.output<typeof Settings>;

const parsed = new WeakMap<object, Settings>();

/** The settings of this deployment, checked once per isolate. Throws with the names (never the values) of bad ones. */
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
