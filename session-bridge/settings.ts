import { readFileSync } from "node:fs";
import * as z from "zod";
import { digestOfSources, versionOf } from "./build.ts";
import { MAX_BRIDGE_CAPACITY, CLIENT_VERSION, type ClientVersionSetting } from "@gateway/protocol/bridge-socket.ts";
import { BRIDGE_CREDENTIAL, DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { TRACING_VARIABLES, type TracingSettings, tracingSettings } from "@gateway/tracing/settings.ts";

const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

const number = z.coerce.number("must be a number").int();
const port = number.min(0).max(65_535);
/** Cloudflare kills a container 15 minutes after SIGTERM. The remaining 30 s are for closing sessions. */
const MAX_DRAIN_SECONDS = 870;
const clientVersion = z.string().regex(CLIENT_VERSION, "must be like 2.3000.1043857760").optional();

const Variables = z.object({
  BRIDGE_GATEWAY_URL: z.url({ protocol: /^https?$/ }),
  BRIDGE_CREDENTIAL: z.string().regex(BRIDGE_CREDENTIAL, "must be what `npm run bridge:credential` prints"),
  BRIDGE_NETWORK: z.enum(["real", "local"]).default("real"),
  BRIDGE_CAPACITY: number.min(1).max(MAX_BRIDGE_CAPACITY).default(150),
  BRIDGE_HEALTH_PORT: port.default(8080),
  BRIDGE_HEALTH_HOST: z.string().min(1).default("0.0.0.0"),
  BRIDGE_SPOOL_MB: number.min(100).max(1_000_000).default(2_000),
  BRIDGE_DRAIN_SECONDS: number.min(0).max(MAX_DRAIN_SECONDS).default(0),
  BRIDGE_LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
  BRIDGE_CLIENT_VERSION: clientVersion,
  BRIDGE_CLIENT_VERSION_MAX: clientVersion,
  BRIDGE_POOL: z.string().max(20).optional(),
  BRIDGE_REGION: z.string().max(60).optional(),
  BRIDGE_BUILD: z
    .string()
    .regex(/^[\w.+-]{1,64}$/, "must be up to 64 letters, digits and . _ + -")
    .optional(),
  CLOUDFLARE_REGION: z.string().max(60).optional(),
  ...TRACING_VARIABLES,
  BRIDGE_LOCAL_URL: z.url({ protocol: /^wss?$/ }).optional(),
  BRIDGE_LOCAL_ROOT: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, "must be 32 bytes in hex")
    .optional(),
  BRIDGE_LOCAL_CA: z.string().min(1).optional(),
  BRIDGE_LOCAL_MEDIA_HOST: z
    .string()
    .regex(/^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/, "must be host:port")
    .optional(),
});

/** One bridge connects to one network (docs/internals/wire-protocol.md, "Handshake and certificates"). */
export type Network = { kind: "real" } | { kind: "local"; url: string; root: Buffer; ca: string; mediaHost: string };

export type Settings = {
  gatewayUrl: URL;
  credential: string;
  bridgeId: string;
  /** The credential's pool, or `default`. If it is null, the bridge asks the gateway. */
  pool: string | null;
  capacity: number;
  build: string;
  version: string;
  region: string | null;
  health: { host: string; port: number };
  spoolBytes: number;
  /** How long sessions may move to other bridges after SIGTERM before the rest are closed. */
  drainMs: number;
  logLevel: string;
  tracing: TracingSettings | null;
  network: Network;
  clientVersion: ClientVersionSetting;
};

/** `problems` lists the names of the variables, never their values. */
export type ReadSettings = { ok: true; settings: Settings } | { ok: false; problems: string[] };

export function readSettings(env: Record<string, string | undefined>): ReadSettings {
  // Container hosts set an unset variable to the empty string.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = Variables.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => {
      const name = path.join(".");
      return `${name}: ${given[name] === undefined ? "is not set" : message}`;
    });
    return { ok: false, problems };
  }
  const { data } = parsed;
  const gatewayUrl = new URL(data.BRIDGE_GATEWAY_URL);
  if (gatewayUrl.protocol === "http:" && !LOOPBACK.has(gatewayUrl.hostname)) {
    return { ok: false, problems: ["BRIDGE_GATEWAY_URL: use https for a gateway on another machine"] };
  }
  const { bridge = "", pool } = BRIDGE_CREDENTIAL.exec(data.BRIDGE_CREDENTIAL)?.groups ?? {};
  if (data.BRIDGE_POOL !== undefined && data.BRIDGE_POOL !== (pool ?? DEFAULT_POOL)) {
    return { ok: false, problems: [`BRIDGE_POOL: the credential belongs to pool ${pool ?? DEFAULT_POOL}`] };
  }
  const network = networkOf(data);
  if (!network.ok) return network;
  return {
    ok: true,
    settings: {
      gatewayUrl,
      credential: data.BRIDGE_CREDENTIAL,
      bridgeId: bridge,
      pool: data.BRIDGE_POOL ?? pool ?? null,
      capacity: data.BRIDGE_CAPACITY,
      build: data.BRIDGE_BUILD ?? digestOfSources(),
      version: versionOf(),
      region: data.BRIDGE_REGION ?? data.CLOUDFLARE_REGION ?? null,
      health: { host: data.BRIDGE_HEALTH_HOST, port: data.BRIDGE_HEALTH_PORT },
      spoolBytes: data.BRIDGE_SPOOL_MB * 1_000_000,
      drainMs: data.BRIDGE_DRAIN_SECONDS * 1_000,
      logLevel: data.BRIDGE_LOG_LEVEL,
      tracing: tracingSettings(data),
      network: network.network,
      clientVersion: { version: data.BRIDGE_CLIENT_VERSION ?? null, max: data.BRIDGE_CLIENT_VERSION_MAX ?? null },
    },
  };
}

function networkOf(data: z.output<typeof Variables>): { ok: true; network: Network } | { ok: false; problems: string[] } {
  const local = {
    BRIDGE_LOCAL_URL: data.BRIDGE_LOCAL_URL,
    BRIDGE_LOCAL_ROOT: data.BRIDGE_LOCAL_ROOT,
    BRIDGE_LOCAL_CA: data.BRIDGE_LOCAL_CA,
    BRIDGE_LOCAL_MEDIA_HOST: data.BRIDGE_LOCAL_MEDIA_HOST,
  };
  if (data.BRIDGE_NETWORK === "real") {
    // Rejected on the real network, where the owner of a custom root could intercept everything.
    const set = Object.entries(local).filter(([, value]) => value !== undefined);
    if (set.length === 0) return { ok: true, network: { kind: "real" } };
    return { ok: false, problems: set.map(([name]) => `${name}: only with BRIDGE_NETWORK=local`) };
  }
  const unset = Object.entries(local).filter(([, value]) => value === undefined);
  if (unset.length > 0) return { ok: false, problems: unset.map(([name]) => `${name}: needed with BRIDGE_NETWORK=local`) };
  const { BRIDGE_LOCAL_URL: url = "", BRIDGE_LOCAL_ROOT: root = "", BRIDGE_LOCAL_MEDIA_HOST: mediaHost = "" } = local;
  const ca = readCertificate(local.BRIDGE_LOCAL_CA ?? "");
  if (ca === null) return { ok: false, problems: ["BRIDGE_LOCAL_CA: neither a PEM certificate nor a file with one"] };
  return { ok: true, network: { kind: "local", url, root: Buffer.from(root, "hex"), ca, mediaHost } };
}

const PEM = "-----BEGIN CERTIFICATE-----";

function readCertificate(pathOrPem: string): string | null {
  if (pathOrPem.includes(PEM)) return pathOrPem;
  try {
    const text = readFileSync(pathOrPem, "utf8");
    return text.includes(PEM) ? text : null;
  } catch {
    return null;
  }
}
