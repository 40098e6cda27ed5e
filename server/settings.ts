// A single machine's settings: `gateway.env`, and environment variables, which take precedence (docs/operate/one-machine.md, "Settings").
import { isAbsolute, relative, resolve, sep } from "node:path";
import * as z from "zod";
import { Settings as WorkerSettings } from "#root/src/settings.ts";
import { readProxies, type Proxies } from "./front/headers.ts";

const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const MAX_BRIDGES = 20;

const whole = (lowest: number, highest: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, `must be a number from ${lowest} to ${highest}`)
    .transform(Number)
    .refine((value) => value >= lowest && value <= highest, `must be a number from ${lowest} to ${highest}`);

const path = z
  .string()
  .min(1, "must be a path")
  .transform((text) => resolve(text));

/** False if the login in the address has malformed escapes. */
function hasReadableLogin(address: string): boolean {
  try {
    const { username, password } = new URL(address);
    return [username, password].every((part) => decodeURIComponent(part) !== null);
  } catch {
    return false;
  }
}

/** Returns the hosts as the URL parser writes them, or null if an entry is not a host with a port. */
function readHosts(text: string): string[] | null {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  const areValid = entries.every((entry) => {
    const [, host, port] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\]):([1-9]\d{0,4})$/.exec(entry) ?? [];
    return host !== undefined && Number(port) <= 65_535 && URL.parse(`http://${entry}`)?.hostname === host;
  });
  return areValid ? entries : null;
}

export const HOST = {
  DOMAIN: z.string().regex(DOMAIN, "must be a name such as gateway.example.com").default(""),
  LISTEN: z.union([z.ipv4(), z.ipv6()], "must be an address of this machine").default("127.0.0.1"),
  PORT: whole(1, 65_535).default(8787),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, hostname: /./, error: "must be smtp://user:password@host:port or smtps://…" })
    .refine(hasReadableLogin, "must have % and other special characters of user and password encoded, such as %25")
    .optional(),
  ADMIN_EMAIL: z.email("must be an email address").default("admin@gateway.local"),
  TRUSTED_PROXIES: z.string().default(""),
  WEBHOOK_HOSTS: z
    .string()
    .transform((text) => readHosts(text))
    .refine((hosts) => hosts !== null, "must be hosts with ports such as 127.0.0.1:3000, separated by commas")
    .transform((hosts) => hosts ?? [])
    .default([]),
  DATA_DIR: path.default(resolve("data")),
  BACKUP_DIR: path.default(resolve("backups")),
  BACKUP_TIME: z
    .string()
    .regex(/^(off|([01]\d|2[0-3]):[0-5]\d)$/, "must be a time of day in UTC such as 03:30, or off")
    .default("03:30"),
  BACKUP_KEEP: whole(1, 1_000).default(7),
  MOVE_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  BRIDGES: whole(1, MAX_BRIDGES).default(1),
  BRIDGE_CAPACITY: whole(1, 1_000).default(150),
};
const Host = z.object(HOST);

/** Settings that are passed to the worker unchanged. By default, everyone with an account may connect numbers. */
const WORKER_DEFAULTS: Readonly<Record<string, string>> = {
  MAIL_FROM: "",
  SUBSCRIPTIONS: "open",
  SUBSCRIPTION_INSTANCES: "1000",
  IDENTITY_ISSUER: "",
  IDENTITY_AUDIENCE: "",
  IDENTITY_CLIENT_ID: "",
  IDENTITY_CLIENT_SECRET: "",
  IDENTITY_NAME: "",
  BILLING_URL: "",
  SUPPORT_NAME: "",
  SUPPORT_EMAIL: "",
  SUPPORT_PHONE: "",
  ALARM_WEBHOOK: "",
  PASSKEY_CEREMONY: "off",
  GRAPH_VERSION: "v23.0",
  LOG_SAMPLE: "1",
  OTEL_EXPORTER_OTLP_ENDPOINT: "",
  OTEL_EXPORTER_OTLP_HEADERS: "",
  OTEL_TRACES_SAMPLER_ARG: "1",
};

/** Settings passed to the session bridges unchanged (session-bridge/README.md, "Settings"). */
const BRIDGE = [
  "BRIDGE_NETWORK",
  "BRIDGE_LOG_LEVEL",
  "BRIDGE_CLIENT_VERSION",
  "BRIDGE_CLIENT_VERSION_MAX",
  "BRIDGE_SPOOL_MB",
  "BRIDGE_LOCAL_URL",
  "BRIDGE_LOCAL_ROOT",
  "BRIDGE_LOCAL_CA",
  "BRIDGE_LOCAL_MEDIA_HOST",
] as const;

export type BackupSettings = {
  folder: string;
  /** `HH:MM` in UTC. If null, only `npm run backup` makes backups. */
  time: string | null;
  /** Number of backups to keep. Older ones are deleted. */
  keep: number;
};

export type ServeSettings = {
  listen: { host: string; port: number };
  dataFolder: string;
  backups: BackupSettings;
  adminEmail: string;
  smtpUrl: string | null;
  appUrl: string;
  proxies: Proxies;
  /** The webhook receivers, as `host:port`, that may be on a private network and without TLS. */
  webhookHosts: readonly string[];
  /** If set, other gateways may move connections to and from here (docs/operate/moving.md, "To and from the edge"). */
  moveSecret: string | null;
  bridges: number;
  /** The worker's variables, without the secrets. */
  workerVars: Record<string, string>;
  bridgeVars: Record<string, string>;
};

type Variables = Readonly<Record<string, string | undefined>>;
type ReadSettings = { ok: true; settings: ServeSettings } | { ok: false; problem: string };

/** `problem` is one line that mentions the setting, but never its value. */
export function readServeSettings(file: Variables, environment: Variables): ReadSettings {
  const names = [...Object.keys(HOST), ...Object.keys(WORKER_DEFAULTS), ...BRIDGE];
  const unknown = Object.keys(file).find((name) => !names.includes(name));
  if (unknown !== undefined) return { ok: false, problem: `${unknown}: there is no such setting` };
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name] ?? file[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
  const read = Host.safeParse(given);
  if (!read.success) return { ok: false, problem: problemOf(read.error) };
  const { data: host } = read;
  if (isInside(host.BACKUP_DIR, host.DATA_DIR))
    return { ok: false, problem: "BACKUP_DIR: must be outside DATA_DIR, because a restore moves that folder's content away" };
  const appUrl = host.DOMAIN === "" ? `http://localhost:${host.PORT}` : `https://${host.DOMAIN}`;
  // A proxy on this machine needs no setting.
  const trusted = host.TRUSTED_PROXIES === "" ? ["127.0.0.0/8", "::1"] : host.TRUSTED_PROXIES.split(/[\s,]+/);
  const proxies = readProxies(trusted.filter((entry) => entry !== ""));
  if (proxies === null)
    return { ok: false, problem: "TRUSTED_PROXIES: must be addresses or blocks such as 10.0.0.0/8, separated by commas" };
  const workerVars: Record<string, string> = {
    ...WORKER_DEFAULTS,
    ...Object.fromEntries(Object.keys(WORKER_DEFAULTS).flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))),
    APP_URL: appUrl,
    BASE_URL: appUrl,
    ADMIN_EMAIL: host.ADMIN_EMAIL,
    BRIDGE_HOST: "external",
    BRIDGE_NETWORK: given["BRIDGE_NETWORK"] ?? "real",
  };
  workerVars["MAIL_FROM"] ||= `gateway@${host.DOMAIN === "" ? "gateway.local" : host.DOMAIN}`;
  const secrets = Object.fromEntries(["KEY_SECRET", "STATE_SECRET", "BRIDGE_SECRET", "AUTH_SECRET"].map((name) => [name, SAMPLE_SECRET]));
  const worker = WorkerSettings.safeParse({ ...workerVars, ...secrets });
  if (!worker.success) return { ok: false, problem: problemOf(worker.error) };
  return {
    ok: true,
    settings: {
      listen: { host: host.LISTEN, port: host.PORT },
      dataFolder: host.DATA_DIR,
      backups: { folder: host.BACKUP_DIR, time: host.BACKUP_TIME === "off" ? null : host.BACKUP_TIME, keep: host.BACKUP_KEEP },
      adminEmail: host.ADMIN_EMAIL,
      smtpUrl: host.SMTP_URL ?? null,
      appUrl,
      proxies,
      webhookHosts: host.WEBHOOK_HOSTS,
      moveSecret: host.MOVE_SECRET ?? null,
      bridges: host.BRIDGES,
      workerVars,
      bridgeVars: {
        ...Object.fromEntries(BRIDGE.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))),
        BRIDGE_CAPACITY: String(host.BRIDGE_CAPACITY),
      },
    },
  };
}

/** Both paths must be absolute. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}

/** Well-formed placeholders, so that only the other settings are checked. The real secrets are created after this check. */
const SAMPLE_SECRET = "A".repeat(43);

function problemOf({ issues: [first] }: z.ZodError): string {
  return `${first?.path.join(".")}: ${first?.message}`;
}
