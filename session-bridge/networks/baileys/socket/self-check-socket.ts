import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  decodeBinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  makeWASocket,
  type BinaryNode,
  type SignalKeyStoreWithTransaction,
  type WASocket,
} from "baileys";
import { WebSocketServer, type WebSocket } from "ws";
import { libraryLog } from "./library-log.ts";

export type Check<T> = { hook: string; holds: (subject: T) => unknown };

const STANZA_NAMES = [
  "message",
  "receipt",
  "notification",
  "call",
  "presence",
  "chatstate",
  "success",
  "ack,class:message",
  "ib,,offline_preview",
  "ib,,offline",
] as const;

type Frame = { bytes: Uint8Array; node: BinaryNode | null };
type Probe = {
  sock: WASocket;
  raw: WebSocket;
  repository: object;
  keysOfRepository: unknown;
  stanzaEvents: Set<string>;
  events: Set<string>;
  written: Frame[];
  devicesRead: () => boolean;
  serve: (frame: Uint8Array) => void;
};

const SOCKET: readonly Check<Probe>[] = [
  { hook: "sock.ws.socket.send", holds: ({ written }) => eventually(() => written.length > 0) },
  {
    hook: "makeSignalRepository and sock.signalRepository",
    holds: ({ sock, repository }) => (sock.signalRepository as object) === repository,
  },
  { hook: "sock.authState.keys", holds: ({ sock, keysOfRepository }) => (sock.authState.keys as unknown) === keysOfRepository },
  ...STANZA_NAMES.map((name): Check<Probe> => ({
    hook: `CB:${name} (listened to)`,
    holds: ({ sock: { ws } }) => ws.listenerCount(`CB:${name}`) > 0,
  })),
  { hook: "sock.ev.emit", holds: ({ events }) => eventually(() => events.has("connection.update")) },
  { hook: "ack announced to the logger, and written plain", holds: acksPlainly },
  { hook: "relayMessage reading the additional nodes as it writes", holds: (probe) => isReadAsWritten(probe, "nodes", "2@s.whatsapp.net") },
  { hook: "relayMessage reading a channel message's id as it writes", holds: (probe) => isReadAsWritten(probe, "id", "2@newsletter") },
  { hook: "app-state versions read in a key transaction", holds: readsVersionsInTransaction },
  { hook: "sock.resyncAppState", holds: ({ sock }) => typeof sock.resyncAppState === "function" && isWritable(sock, "resyncAppState") },
  {
    hook: "userDevicesCache (configuration)",
    holds: async ({ sock, devicesRead }) => (await sock.getUSyncDevices(["2@s.whatsapp.net"], true, false), devicesRead()),
  },
  {
    hook: "sock.ws unexpected-response",
    holds: ({ raw, stanzaEvents }) => (raw.emit("unexpected-response", {}, { statusCode: 503 }), stanzaEvents.has("unexpected-response")),
  },
  // Must be last: this frame is not a valid response to the hello, so the library then closes the socket.
  {
    hook: "sock.ws.emit frame",
    holds: async ({ serve, stanzaEvents }) => {
      serve(Uint8Array.of(0, 0, 1, 0));
      return eventually(() => stanzaEvents.has("frame"));
    },
  },
];

export async function failing<T>(checks: readonly Check<T>[], subject: T): Promise<string[]> {
  const missing: string[] = [];
  for (const { hook, holds } of checks) {
    const works = await Promise.resolve(subject)
      .then(holds)
      .catch(() => false);
    if (works !== true) missing.push(hook);
  }
  return missing;
}

export function isWritable(object: object, key: string): boolean {
  return Object.getOwnPropertyDescriptor(object, key)?.writable === true;
}

/** Connects to a loopback server and checks that everything the socket writes passes through our hooks. */
export async function missingOfSocket(): Promise<string[]> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  let repository: object = {};
  let keysOfRepository: unknown;
  let devicesRead = false;
  const creds = { ...initAuthCreds(), me: { id: "1:1@s.whatsapp.net" } };
  const sock = makeWASocket({
    waWebSocketUrl: `ws://127.0.0.1:${port}`,
    logger: libraryLog,
    auth: { creds, keys: { get: () => ({}), set: () => undefined } },
    defaultQueryTimeoutMs: 1_000,
    shouldIgnoreJid: () => true,
    userDevicesCache: {
      get: () => ((devicesRead = true), [{ user: "2", device: 0, server: "s.whatsapp.net" }] as never),
      set: () => undefined,
      del: () => undefined,
      flushAll: () => undefined,
    },
    makeSignalRepository: (auth, ...rest) => {
      keysOfRepository = auth.keys;
      const made = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, ...rest);
      repository = made;
      return made;
    },
  });
  const raw = rawSocket(sock);
  try {
    if (raw === null) return ["sock.ws.socket"];
    const probe: Probe = {
      sock,
      raw,
      repository,
      keysOfRepository,
      stanzaEvents: emittedBy(sock.ws),
      events: emittedBy(sock.ev),
      written: written(raw),
      devicesRead: () => devicesRead,
      serve: (frame) => sockets.clients.forEach((client) => client.send(frame)),
    };
    return await failing(SOCKET, probe);
  } finally {
    raw?.terminate();
    await sock.end(undefined);
    sockets.close();
    server.closeAllConnections();
    server.close();
  }
}

function emittedBy(emitter: { emit(event: never, ...rest: never[]): boolean }): Set<string> {
  const names = new Set<string>();
  const emit = emitter.emit.bind(emitter) as (event: unknown, ...rest: unknown[]) => boolean;
  Reflect.set(emitter, "emit", (event: unknown, ...rest: unknown[]) => {
    names.add(String(event));
    return emit(event, ...rest);
  });
  return names;
}

/** Replaces the socket's `send`, so that nothing is sent. Frames are unencrypted before the handshake, so stanzas can be read. */
function written(raw: WebSocket): Frame[] {
  const frames: Frame[] = [];
  raw.send = ((bytes: Uint8Array, ...rest: unknown[]) => {
    const frame: Frame = { bytes, node: null };
    frames.push(frame);
    Promise.resolve(Buffer.from(bytes.subarray(LENGTH_BYTES)))
      .then(decodeBinaryNode)
      .then(
        (node) => (frame.node = node),
        () => undefined,
      );
    const callback = rest.at(-1);
    if (typeof callback === "function") queueMicrotask(() => (callback as () => void)());
  }) as WebSocket["send"];
  return frames;
}

const LENGTH_BYTES = 3;

/** The listener's promise resolves once the ack is sent. Unpatched, the library would ack an ignored sender with an error. */
async function acksPlainly({ sock, written: frames }: Probe): Promise<boolean> {
  const stanza: BinaryNode = { tag: "message", attrs: { id: "SELFCHECK", from: "3@s.whatsapp.net", t: "1" } };
  await Promise.all(sock.ws.listeners("CB:message").map((listener) => (listener as (node: BinaryNode) => unknown)(stanza)));
  const count = frames.length;
  const acked = await eventually(() => frames.slice(0, count).some(({ node }) => node?.tag === "ack" && node.attrs["id"] === "SELFCHECK"));
  return acked && frames.every(({ node }) => node?.attrs["error"] === undefined);
}

/** True if the library writes the stanza in the same step in which it first reads this option (`outbound/dispatch.ts`). */
async function isReadAsWritten({ sock, repository, written: frames }: Probe, option: "id" | "nodes", jid: string): Promise<boolean> {
  // Without these, the library would query the recipient's keys.
  Object.assign(repository, {
    validateSession: async () => ({ exists: true }),
    encryptMessage: async () => ({ type: "msg", ciphertext: Buffer.of(0) }),
  });
  const { promise: isWritten, resolve } = Promise.withResolvers<boolean>();
  const read = (): void => {
    const before = frames.length;
    queueMicrotask(() => resolve(frames.length > before));
  };
  const messageId = "SELFCHECK";
  const additionalAttributes = {
    get id() {
      if (option === "id") read();
      return messageId;
    },
  };
  const additionalNodes = new Proxy<BinaryNode[]>([], {
    get: (nodes, key) => {
      if (option === "nodes") read();
      return Reflect.get(nodes, key) as unknown;
    },
  });
  sock.relayMessage(jid, { conversation: "-" }, { messageId, additionalAttributes, additionalNodes }).then(
    () => resolve(false),
    () => resolve(false),
  );
  return isWritten;
}

async function readsVersionsInTransaction({ sock, written: frames }: Probe): Promise<boolean> {
  const keys = sock.authState.keys as SignalKeyStoreWithTransaction;
  const get = keys.get.bind(keys);
  const transaction = keys.transaction.bind(keys);
  let inside = 0;
  let read = false;
  keys.transaction = async (work, key) => {
    inside += 1;
    return transaction(work, key).finally(() => (inside -= 1));
  };
  keys.get = (type, ids) => {
    read ||= type === "app-state-sync-version" && inside > 0;
    return get(type, ids);
  };
  sock.resyncAppState(["regular_low"], false).catch(() => undefined);
  const asked = await eventually(() => frames.some(({ node }) => node?.attrs["xmlns"] === "w:sync:app:state"));
  return asked && read;
}

async function eventually(holds: () => boolean): Promise<boolean> {
  for (const end = Date.now() + 5_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 5))) if (holds()) return true;
  return false;
}

/** The WebSocket inside Baileys' wrapper, which its types omit. */
export function rawSocket(sock: { ws: unknown }): WebSocket | null {
  const { socket } = sock.ws as { socket?: unknown };
  const looksRight =
    typeof socket === "object" && socket !== null && "send" in socket && typeof socket.send === "function" && "readyState" in socket;
  return looksRight ? (socket as unknown as WebSocket) : null;
}
