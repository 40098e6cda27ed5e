// Configures workerd for the sandbox's worker, or for the production worker behind the host's front.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { egressService, OUTSIDE } from "./egress.ts";
import { databaseWorker } from "./host-database.ts";
import { keepMail } from "../mail/kept-mail.ts";
import { answerMail, MAIL_SCRIPT } from "../mail/mail-service.ts";
import { smtpDelivery } from "../mail/smtp.ts";
import { answerMachine } from "./machine-report.ts";
import { postToListed, RECEIVERS_SCRIPT } from "./receivers.ts";
import type { PreparedWorker } from "./prepared-worker.ts";
import type { ServerSettings, WorkerHostSettings } from "./worker-settings.ts";
import { FRONT_HEADER, SCHEME_HEADER } from "../front/headers.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Part of the objects' file names, because an object's unique key is this name and its class. Renaming it loses every object. */
const GATEWAY = "gateway";
/** Workerd's entry port on loopback passes requests to any worker by name, so other users of the machine must not know the names. */
const HIDDEN = randomBytes(24).toString("base64url");
const hidden = (name: string) => `${name}-${HIDDEN}`;
/** The production worker's name. The sandbox's worker is named `gateway`. */
export const HIDDEN_GATEWAY = hidden(GATEWAY);
/** Responds to requests on the entry port that do not specify a worker. */
const CLOSED_SCRIPT = "export default { fetch: () => new Response(null, { status: 404 }) };";
/** Names for the D1 and media files. The names in wrangler.toml belong to a deployment at the edge, whose owner may change them. */
const STORED = { d1Databases: { DB: { id: "gateway" } }, r2Buckets: { MEDIA: { id: "gateway-media" } } };

/** Passes on the client's address only from the host's front. This machine's other users must not be able to choose an address. */
const FRONT_SCRIPT = `export default {
  fetch(request, env) {
    const url = new URL(request.url);
    const headers = new Headers(request.headers);
    const isFront = headers.get("${FRONT_HEADER}") === env.SECRET;
    headers.delete("${FRONT_HEADER}");
    if (!isFront) headers.set("CF-Connecting-IP", "127.0.0.1");
    url.protocol = isFront && headers.get("${SCHEME_HEADER}") === "http" ? "http:" : "https:";
    return env.GATEWAY.fetch(new Request(new Request(url, request), { headers }));
  },
};`;

export function runtimeOptions(settings: WorkerHostSettings, prepared: PreparedWorker) {
  const { server } = settings;
  return {
    host: "127.0.0.1",
    port: 0,
    resourcePersistencePath: settings.storage,
    unsafeTriggerHandlers: server !== null,
    workers: server === null ? sandboxWorkers(settings, prepared) : serverWorkers(settings, prepared, server),
  };
}

function gatewayWorker({ script, options }: PreparedWorker) {
  return {
    ...options,
    name: GATEWAY,
    rootPath: ROOT,
    modules: [{ type: "ESModule" as const, path: join(ROOT, "worker.js"), contents: script }],
    outboundService: { name: OUTSIDE.name },
    // In production, only the platform sets the client's address. Here, the host's front sets it or, in the sandbox, any script.
    stripCfConnectingIp: false,
  };
}

// A direct socket serves the port. On the public socket, each request would first pass through two workers that look for assets.
const socketOf = (port: number, serviceName: string) => [{ host: "127.0.0.1", port, serviceName }];

function sandboxWorkers(settings: WorkerHostSettings, prepared: PreparedWorker) {
  const local = { COLLECTOR: egressService(false), ISSUER: egressService(false), GRAPH: egressService(false) };
  const serviceBindings = { ...(prepared.options.serviceBindings as object), EGRESS: egressService(settings.strict), ...local };
  return [
    { ...gatewayWorker(prepared), bindings: { ...(prepared.options.bindings as object), ...settings.vars }, serviceBindings },
    databaseWorker(OUTSIDE.compatibilityDate, prepared.options.d1Databases as typeof STORED.d1Databases),
    { ...OUTSIDE, unsafeDirectSockets: socketOf(settings.port, GATEWAY) },
  ];
}

function serverWorkers(settings: WorkerHostSettings, prepared: PreparedWorker, server: ServerSettings) {
  const { smtpUrl, mailFolder, frontSecret, webhookHosts } = server;
  // Omits `send_email`, because the local runtime only prints the emails.
  const { email: _, ...gateway }: ReturnType<typeof gatewayWorker> & { email?: unknown } = gatewayWorker(prepared);
  const { compatibilityDate } = OUTSIDE;
  const mail = { name: hidden("mail"), modules: true, compatibilityDate, script: MAIL_SCRIPT };
  const receivers = { name: hidden("receivers"), modules: true, compatibilityDate, script: RECEIVERS_SCRIPT };
  const outside = { ...OUTSIDE, name: hidden(OUTSIDE.name) };
  const front = hidden("front");
  const hasReceivers = webhookHosts.length > 0;
  return [
    { name: "closed", modules: true, compatibilityDate, script: CLOSED_SCRIPT },
    {
      ...gateway,
      ...STORED,
      name: HIDDEN_GATEWAY,
      durableObjects: keepKeys(prepared.options.durableObjects as Record<string, object & { className: string }>),
      outboundService: { name: outside.name },
      // wrangler.toml's variables belong to a deployment at the edge.
      bindings: { ...settings.vars, ...(hasReceivers ? { WEBHOOK_HOSTS: webhookHosts.join(",") } : {}) },
      serviceBindings: {
        MAIL: { name: mail.name },
        MACHINE: answerMachine(server),
        ...(hasReceivers ? { RECEIVERS: { name: receivers.name } } : {}),
      },
    },
    {
      ...mail,
      serviceBindings: {
        HOST: answerMail(smtpUrl === null ? (message) => keepMail(mailFolder, message, new Date()) : smtpDelivery(smtpUrl)),
      },
    },
    ...(hasReceivers ? [{ ...receivers, serviceBindings: { HOST: postToListed(webhookHosts) } }] : []),
    {
      name: front,
      modules: true,
      compatibilityDate,
      script: FRONT_SCRIPT,
      bindings: { SECRET: frontSecret },
      serviceBindings: { GATEWAY: { name: HIDDEN_GATEWAY } },
      unsafeDirectSockets: socketOf(settings.port, front),
    },
    databaseWorker(compatibilityDate, STORED.d1Databases),
    outside,
  ];
}

function keepKeys(objects: Record<string, object & { className: string }>) {
  const entries = Object.entries(objects).map(([binding, object]) => {
    return [binding, { ...object, unsafeUniqueKey: `${GATEWAY}-${object.className}` }] as const;
  });
  return Object.fromEntries(entries);
}
