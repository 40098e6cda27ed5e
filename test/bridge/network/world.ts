// A separate network for each test file, its phones, and unmodified Baileys clients linked to them.
import https from "node:https";
import tls from "node:tls";
import {
  initAuthCreds,
  makeWASocket,
  WA_CERT_DETAILS,
  type AuthenticationState,
  type BaileysEventMap,
  type SignalDataSet,
  type UserFacingSocketConfig,
  type WASocket,
} from "baileys";
import pino from "pino";
import { quietConsole } from "#root/session-bridge/process/quiet-console.ts";
import { Phones } from "#root/test-network/phone/phones.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { NETWORK_MODE } from "../../support/bridge/network-mode.ts";
import { eventually } from "../../support/eventually.ts";
import { startTestNetwork, type RunningNetwork, type StartOptions } from "#root/test-network/start.ts";

quietConsole();
const silent = pino({ level: "silent" });
const WAIT_TIMEOUT_MS = 60_000;

export type World = RunningNetwork & {
  phones: Phones;
  /** A phone with its own number. */
  phone(name: string, about?: { business?: boolean }): Promise<SimulatedPhone>;
};

let nextNumber = 5_511_900_000_000 + (process.pid % 1000) * 1000;

export async function openWorld(options: StartOptions = {}): Promise<World> {
  // Unmodified clients address phone numbers instead of LIDs and send no tokens.
  const running = await startTestNetwork({ ...NETWORK_MODE, lidOnly: false, needsToken: false, ...options });
  trust(running);
  const phones = new Phones(running.network, options.stateDir);
  return {
    ...running,
    phones,
    phone: (name, about = {}) => phones.create(String(++nextNumber), { name, ...about }),
    close: async () => {
      await phones.close();
      await running.close();
    },
  };
}

/** Process-wide client settings, made once: the root key to pin and the CA to trust. */
export function trust({ rootPublicKey, caPem }: RunningNetwork): void {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootPublicKey, "hex");
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), caPem]);
}

export type MemoryAuth = AuthenticationState & {
  /** Drops all keys of a type, as on a device that lost part of its data. */
  forget(type: "session" | "sender-key"): void;
};

export function memoryAuth(): MemoryAuth {
  // One map for all kinds of keys: a key is read back under the type it was stored under.
  const kept = new Map<string, any>();
  return {
    creds: initAuthCreds(),
    forget: (type) => {
      for (const name of kept.keys()) if (name.startsWith(`${type}|`)) kept.delete(name);
    },
    keys: {
      get: async (type, ids) =>
        Object.fromEntries(ids.flatMap((id) => (kept.has(`${type}|${id}`) ? [[id, kept.get(`${type}|${id}`)]] : []))),
      set: async (data: SignalDataSet) => {
        for (const [type, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {})) {
            if (value === null || value === undefined) kept.delete(`${type}|${id}`);
            else kept.set(`${type}|${id}`, value);
          }
        }
      },
    },
  };
}

export type Client = {
  sock: WASocket;
  auth: MemoryAuth;
  /** Codes of all disconnects so far. */
  closes: number[];
  jid: string;
  end(): Promise<void>;
};

export function connect(running: RunningNetwork, auth: AuthenticationState, config: Partial<UserFacingSocketConfig> = {}): WASocket {
  const sock = makeWASocket({
    waWebSocketUrl: running.wsUrl,
    auth,
    logger: silent,
    fetchAgent: new https.Agent({ ca: running.caPem }),
    ...config,
  });
  sock.ev.on("creds.update", (update) => Object.assign(auth.creds, update));
  return sock;
}

/** Links a new device to the phone by QR code (or logs in again with `auth`) and waits until it is open. */
export async function link(
  running: RunningNetwork,
  phone: SimulatedPhone | undefined,
  { auth = memoryAuth(), config = {} }: { auth?: MemoryAuth; config?: Partial<UserFacingSocketConfig> } = {},
): Promise<Client> {
  const closes: number[] = [];
  let stopped = false;
  const client: Client = {
    sock: connect(running, auth, config),
    auth,
    closes,
    jid: "",
    end: async () => {
      stopped = true;
      await client.sock.end(undefined);
    },
  };
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the client did not open")), WAIT_TIMEOUT_MS);
    const listen = (sock: WASocket): void => {
      client.sock = sock;
      sock.ev.on("connection.update", ({ qr, connection, lastDisconnect, receivedPendingNotifications }) => {
        if (qr && phone) phone.scan(qr).then((outcome) => outcome.ok || reject(new Error(`the scan failed: ${outcome.code}`)), reject);
        if (receivedPendingNotifications) {
          clearTimeout(timer);
          resolve();
        }
        if (connection !== "close" || stopped) return;
        const code = codeOf(lastDisconnect?.error);
        closes.push(code);
        if (code === 515) listen(connect(running, auth, config));
        else {
          clearTimeout(timer);
          reject(Object.assign(new Error(`closed with ${code}`), { code }));
        }
      });
    };
    listen(client.sock);
  });
  // Before its first history sync, a reconnecting client delays its events by 20 s (docs/internals/wire-protocol.md, "After login").
  if (phone) await eventually("the first history", WAIT_TIMEOUT_MS, () => (auth.creds.accountSyncCounter ?? 0) > 0);
  client.jid = (auth.creds.me?.id ?? "").replace(/:\d+@/, "@");
  return client;
}

function codeOf(error: unknown): number {
  return (error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode ?? 0;
}

/** The first result of `pick` over this event. Call it before the event happens. */
export function nextEvent<E extends keyof BaileysEventMap, T>(
  { sock }: { sock: WASocket },
  event: E,
  pick: (data: BaileysEventMap[E]) => T | undefined | false | null,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${event} was not emitted`)), WAIT_TIMEOUT_MS);
    const listen = (data: BaileysEventMap[E]): void => {
      const picked = pick(data);
      if (picked === undefined || picked === false || picked === null) return;
      clearTimeout(timer);
      sock.ev.off(event, listen);
      resolve(picked);
    };
    sock.ev.on(event, listen);
  });
}

/** A message's text, in any form. */
export function textIn(client: { sock: WASocket }, text: string) {
  return nextEvent(client, "messages.upsert", ({ messages }) =>
    messages.find(({ message }) => (message?.conversation || message?.extendedTextMessage?.text) === text),
  );
}

/** The connection's close code. */
export function closeOf(client: Client): Promise<number> {
  return nextEvent(
    client,
    "connection.update",
    ({ connection, lastDisconnect }) => connection === "close" && codeOf(lastDisconnect?.error),
  );
}

export function jidOf(phone: SimulatedPhone): string {
  return `${phone.pn}@s.whatsapp.net`;
}
