// Settings of the worker. The host of a single machine reads them too, before it starts anything.
import * as z from "zod";
import { LOCATIONS } from "./domain/fleet/locations.ts";
import { readShards } from "./domain/fleet/shards.ts";
import { readSecrets, type VersionedSecrets } from "./domain/keys/secrets.ts";
import { CLIENT_VERSION } from "@gateway/protocol/bridge-socket.ts";
import { TRACING_VARIABLES } from "./tracing/settings.ts";

const url = z.url().transform((text) => text.replace(/\/+$/, ""));
/** Entries `<kid>:<secret>`, separated by spaces. The first one is current (docs/operate/secrets.md, "Rotating secrets"). */
const secrets = z.string().transform((setting, context): VersionedSecrets => {
  const read = readSecrets(setting);
  if (read.ok) return read.secrets;
  // Omits the value, because errors may be printed.
  context.addIssue({ code: "custom", message: read.problem });
  return z.NEVER;
});

const ALARM_RECEIVER = /^(https:\/\/\S+) (whsec_[A-Za-z0-9+/]{43}=)$/;

const GRAPH_ADDRESS = /^(https:\/\/[^/?#@]+|http:\/\/127\.0\.0\.1(:\d{1,5})?)$/;

const clientVersion = z.union([z.literal(""), z.string().regex(CLIENT_VERSION)]).default("");

export const Settings = z.object({
  APP_URL: url,
  BASE_URL: url,
  NETWORK_SUFFIX: z.string().min(1).default("s.whatsapp.net"),
  MAIL_FROM: z.string().min(3),
  /** Address, in lower case, of the user who becomes an administrator after confirming it. If it is empty, nobody becomes administrator. */
  ADMIN_EMAIL: z
    .union([z.literal(""), z.email().max(254)])
    .default("")
    .transform((email) => email.toLowerCase()),
  /** With `open`, new accounts get a subscription. With `managed`, an administrator or a billing system sets it. */
  SUBSCRIPTIONS: z.enum(["open", "managed"]).default("managed"),
  /** Number of instances in the subscriptions that `open` grants. */
  SUBSCRIPTION_INSTANCES: z.coerce.number().int().min(1).max(10_000).default(10),
  IDENTITY_ISSUER: z.string().default(""),
  IDENTITY_AUDIENCE: z.string().default(""),
  /** The dashboard's client id at the issuer. If empty, users cannot sign in through the issuer. */
  IDENTITY_CLIENT_ID: z.string().default(""),
  /** The dashboard's client secret at the issuer. If empty, the dashboard is a public client. */
  IDENTITY_CLIENT_SECRET: z.string().default(""),
  /** Name on the sign-in button. If empty, the button shows the issuer's host. */
  IDENTITY_NAME: z.string().max(60).default(""),
  /** Link to the billing page. If empty, no link is shown. */
  BILLING_URL: z.union([z.literal(""), z.url({ protocol: /^https$/ })]).default(""),
  /** The support contact that the dashboard shows if only the operator can help. If empty, none is shown. */
  SUPPORT_NAME: z.string().max(60).default(""),
  SUPPORT_EMAIL: z.union([z.literal(""), z.email().max(254)]).default(""),
  /** The phone number's digits, with the country code. */
  SUPPORT_PHONE: z.union([z.literal(""), z.string().regex(/^[1-9]\d{6,14}$/)]).default(""),
  /** An https address and a secret, separated by a space (docs/operate/monitoring.md, "Alarms by webhook"). If empty, none are sent. */
  ALARM_WEBHOOK: z
    .string()
    .default("")
    .transform((setting, context) => {
      const [, url, secret] = ALARM_RECEIVER.exec(setting) ?? [];
      if (url !== undefined && secret !== undefined && URL.canParse(url)) return { url, secret };
      if (setting !== "") context.addIssue({ code: "custom", message: "an https address, a space and whsec_ with 32 bytes in base64" });
      return null;
    }),
  /** With `on`, linking may need a passkey from the owner's browser (docs/operate/operations.md, "Accounts that require a passkey"). */
  PASSKEY_CEREMONY: z.enum(["on", "off"]).default("off"),
  /** Sessions of one network never run on bridges of the other network. */
  BRIDGE_NETWORK: z.enum(["real", "local"]).default("real"),
  /** URL of Meta's Graph API. Only in the sandbox, this may be the URL of the simulated API on this machine. */
  GRAPH_URL: url.refine((address) => GRAPH_ADDRESS.test(address), "https, or http on 127.0.0.1").default("https://graph.facebook.com"),
  GRAPH_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/)
    .default("v23.0"),
  BRIDGE_HOST: z.enum(["cloudflare", "external"]).default("external"),
  /** Location of new objects (docs/operate/deployment.md, "Region"). If empty, objects are created near their first caller. */
  REGION: z.union([z.literal(""), z.enum(LOCATIONS)]).default(""),
  /** Shards that get new connections, as `weur:4,sam:2` (docs/operate/bridges.md, "Pool shards"). If empty, there are none. */
  POOL_SHARDS: z
    .string()
    .default("")
    .transform((setting, context) => {
      const shards = readShards(setting);
      if (shards !== null) return shards;
      context.addIssue({ code: "custom", message: "regions with their number of shards, as weur:4,sam:2" });
      return z.NEVER;
    }),
  /** Number of connections to move per minute from shards that POOL_SHARDS does not list to shards that it lists. 0 moves none. */
  POOL_REHOMED_PER_MINUTE: z.coerce.number().int().min(0).max(300).default(0),
  /** For bridges in containers (docs/operate/bridges.md, "Client version"). If it is empty, the bridges do not get the setting. */
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
