// Tries the hooks into Baileys that durability depends on before any socket is opened: another version may have silently lost one.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  addTransactionCapability,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  makeWASocket,
  WA_CERT_DETAILS,
  type SignalDataSet,
} from "baileys";
import { SessionCipher } from "libsignal";
import { WebSocketServer, type WebSocket } from "ws";
import { silentLog } from "./library-log.ts";

type Check = { hook: string; holds: () => boolean | Promise<boolean> };

const CHECKS: readonly Check[] = [
  {
    hook: "WA_CERT_DETAILS.PUBLIC_KEY (exported, writable)",
    holds: () => Buffer.isBuffer(WA_CERT_DETAILS.PUBLIC_KEY) && isWritable(WA_CERT_DETAILS, "PUBLIC_KEY"),
  },
  { hook: "Curve.verify (strict)", holds: rejectsForgedSignature },
  { hook: "SessionCipher.decryptWithSessions (libsignal)", holds: () => Reflect.has(SessionCipher.prototype, "decryptWithSessions") },
  { hook: "makeSignalRepository (configuration)", holds: () => typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository === "function" },
  { hook: "nested key transactions", holds: nestedTransactionsCommitOnce },
  { hook: "sock.ws.emit and sock.ws.socket.send", holds: socketHooksWork },
];

/** The hooks that are missing; empty when all work. */
export async function missingHooks(): Promise<string[]> {
  const missing: string[] = [];
  for (const { hook, holds } of CHECKS) {
    const works = await Promise.resolve()
      .then(holds)
      .catch(() => false);
    if (!works) missing.push(hook);
  }
  return missing;
}

function isWritable(object: object, key: string): boolean {
  return Object.getOwnPropertyDescriptor(object, key)?.writable === true;
}

function rejectsForgedSignature(): boolean {
  const pair = Curve.generateKeyPair();
  const message = Buffer.from("self-check");
  const signature = Curve.sign(pair.private, message);
  return (
    isWritable(Curve, "verify") && Curve.verify(pair.public, message, signature) && !Curve.verify(pair.public, message, Buffer.alloc(64, 1))
  );
}

async function nestedTransactionsCommitOnce(): Promise<boolean> {
  const commits: SignalDataSet[] = [];
  const store = { get: () => ({}), set: (data: SignalDataSet) => void commits.push(data) };
  const keys = addTransactionCapability(store, silentLog, { maxCommitRetries: 1, delayBetweenTriesMs: 0 });
  await keys.transaction(async () => {
    await keys.set({ "lid-mapping": { a: "1" } });
    await keys.transaction(() => keys.set({ "lid-mapping": { b: "2" } }) as Promise<void>, "inner");
  }, "outer");
  return commits.length === 1 && commits[0]?.["lid-mapping"]?.a === "1" && commits[0]["lid-mapping"].b === "2";
}

/** Connects to a server of our own on loopback: what it writes must pass our hook. */
async function socketHooksWork(): Promise<boolean> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const creds = initAuthCreds();
  let madeRepository = false;
  const sock = makeWASocket({
    waWebSocketUrl: `ws://127.0.0.1:${port}`,
    logger: silentLog,
    auth: { creds, keys: { get: () => ({}), set: () => undefined } },
    makeSignalRepository: (...args) => {
      madeRepository = true;
      return DEFAULT_CONNECTION_CONFIG.makeSignalRepository(...args);
    },
  });
  try {
    const listening = ["message", "receipt", "notification", "call", "ack,class:message"].every(
      (name) => sock.ws.listenerCount(`CB:${name}`) > 0,
    );
    const socket = rawSocket(sock);
    if (socket === null || !listening || !madeRepository) return false;
    const wrote = new Promise<boolean>((resolve) => {
      socket.send = () => resolve(true);
      setTimeout(() => resolve(false), 5_000).unref();
    });
    return await wrote;
  } finally {
    rawSocket(sock)?.terminate();
    await sock.end(undefined);
    sockets.close();
    server.closeAllConnections();
    server.close();
  }
}

/** The WebSocket inside Baileys' wrapper, which its types do not show. */
export function rawSocket(sock: { ws: unknown }): WebSocket | null {
  const { socket } = sock.ws as { socket?: unknown };
  const looksRight =
    typeof socket === "object" && socket !== null && "send" in socket && typeof socket.send === "function" && "readyState" in socket;
  return looksRight ? (socket as unknown as WebSocket) : null;
}
