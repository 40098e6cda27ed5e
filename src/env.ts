// Bindings and validated settings: the only place that reads variables.
import { z } from "zod";
import { type KeySecrets, keySecrets } from "./domain/keys/api-key.ts";

export type Env = {
  /** Object namespaces are untyped here: their typed stubs are `connectionStub`, `bridgePoolStub` and their like. */
  CONNECTION: DurableObjectNamespace;
  /** Reached through `countInvalidKey`: it is no RPC object. */
  ADDRESS_GUARD: DurableObjectNamespace;
  ACCOUNT_GUARD: DurableObjectNamespace;
  BRIDGE_POOL: DurableObjectNamespace;
  BRIDGE_CONTAINER: DurableObjectNamespace;
  DB: D1Database;
  MEDIA: R2Bucket;
  MAIL: SendEmail;
  ASSETS?: Fetcher;
  /** Sandbox only: a service whose outgoing network is filtered; production sends with the platform's own filter. */
  EGRESS?: Fetcher;
} & Record<keyof z.input<typeof Settings>, string | undefined>;

const url = z.url().transform((text) => text.replace(/\/+$/, ""));
const secret = z.string().min(32, "must be at least 32 characters");

const Settings = z.object({
  /** The Connection API, dashboard and media links. */
  APP_URL: url,
  /** The Account API. */
  BASE_URL: url,
  NETWORK_SUFFIX: z.string().min(1).default("s.whatsapp.net"),
  MAIL_FROM: z.string().min(3),
  IDENTITY_ISSUER: z.string().default(""),
  IDENTITY_AUDIENCE: z.string().default(""),
  /** The network this deployment's bridges speak to: sessions of one are never placed on a bridge of the other. */
  BRIDGE_NETWORK: z.enum(["real", "local"]).default("real"),
  BRIDGE_HOST: z.enum(["cloudflare", "external"]).default("external"),
  /** `<kid>:<secret>` entries separated by spaces, the first one issues: tags of API keys, encryption of their locators. */
  KEY_SECRET: secret,
  /** Root of the keys that encrypt session state and stored secrets at rest. */
  STATE_SECRET: secret,
  /** Shared with the bridges. */
  BRIDGE_SECRET: secret,
  /** Signs dashboard sessions and access tokens. */
  AUTH_SECRET: secret,
});
export type Settings = z.output<typeof Settings>;

const parsed = new WeakMap<object, Settings>();
const parsedKeySecrets = new WeakMap<Settings, KeySecrets>();

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

/** The secrets in `KEY_SECRET`, parsed once per isolate. */
export function keySecretsOf(env: Env): KeySecrets {
  const settings = settingsOf(env);
  const known = parsedKeySecrets.get(settings) ?? keySecrets(settings.KEY_SECRET);
  parsedKeySecrets.set(settings, known);
  return known;
}
