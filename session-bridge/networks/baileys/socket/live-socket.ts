import { TLSSocket } from "node:tls";
import { makeWASocket, type WASocket } from "baileys";
import { guardAppStateSync, type AppStateReport } from "./app-state-guard.ts";
import { forgetOwnDevicesOnNotification, type DeviceLists } from "./device-lists.ts";
import type { Journal } from "../durability/journal.ts";
import type { WriteBehindCache } from "#bridge/store/write-behind-cache.ts";
import { OutputGate } from "../durability/output-gate.ts";
import { pullOfflineBatches } from "./offline-batches.ts";
import { countRefusals } from "./refusals.ts";
import { rawSocket } from "./self-check-socket.ts";
import type { NetworkSession, SessionContext } from "../session/session-context.ts";
import { socketConfig, type SocketDependencies } from "./socket-config.ts";
import { acceptStatusStanzas } from "./status-stanzas.ts";
import { dropDevicesWithoutPreKeys } from "./refused-devices.ts";

export type LiveSocketDependencies = SocketDependencies & {
  store: WriteBehindCache;
  journal: Journal;
  session: NetworkSession;
  listen(ctx: SessionContext): () => void;
  appState: AppStateReport;
};

export type LiveSocket = {
  readonly sock: WASocket;
  readonly ctx: SessionContext;
  /** Returns true once the WebSocket has connected, so that a later failure is not attributed to the proxy. */
  readonly connected: () => boolean;
  detach(): number;
  terminate(): void;
};

/** Timeout for each of two steps: opening the socket, and receiving the network's first frame. */
const OPENING_TIMEOUT_MS = 20_000;
/** After this time the socket is terminated, because on a half-open connection the network never confirms the close. */
const CLOSE_TIMEOUT_MS = 5_000;

export function openSocket(deps: LiveSocketDependencies): LiveSocket {
  const { session } = deps;
  const sock = makeWASocket(socketConfig(deps));
  const raw = rawSocket(sock);
  if (raw === null) throw new Error("Baileys' WebSocket is not where it was");
  const close = raw.close.bind(raw);
  raw.close = (...args) => {
    close(...args);
    setTimeout(() => raw.terminate(), CLOSE_TIMEOUT_MS).unref();
  };
  limitOpening(raw);
  let connected = false;
  raw.once("open", () => {
    connected = true;
  });
  // The library's listener disables the default handling of `ws`. Without this listener, no open, error or close would follow.
  raw.once("unexpected-response", (_request, { statusCode = 0, socket }) => {
    // A response over TLS comes from the network. Any other response may come from the proxy.
    connected ||= socket instanceof TLSSocket;
    session.logger.info({ status: statusCode }, "network.upgrade_refused");
    raw.terminate();
  });
  const gate = new OutputGate(deps.store, raw);
  const stopJournal = deps.journal.attach(sock, () => deps.auth.paired);
  acceptStatusStanzas(sock);
  const stopPulling = pullOfflineBatches(sock, session.logger);
  const stopCounting = countRefusals(sock, session.logger, (kind, code) => session.metrics.troubled(kind, code, session.connection));
  forgetOwnDevicesOnNotification(sock, deps.deviceLists);
  dropDevicesWithoutPreKeys(sock);
  const stopGuarding = guardAppStateSync(sock, deps.appState);
  const ctx = contextOf(deps, sock, gate, deps.deviceLists);
  const stopListening = deps.listen(ctx);
  return {
    sock,
    ctx,
    connected: () => connected,
    detach() {
      stopListening();
      stopPulling();
      stopCounting();
      stopGuarding();
      stopJournal();
      return gate.close();
    },
    terminate: () => raw.terminate(),
  };
}

/** Terminates a socket that does not open or receives nothing from the network (socket-config.ts, `connectTimeoutMs`). */
export function limitOpening(raw: NonNullable<ReturnType<typeof rawSocket>>): void {
  const timer = setTimeout(() => raw.terminate(), OPENING_TIMEOUT_MS);
  const ended = (): void => clearTimeout(timer);
  raw.once("open", () => timer.refresh());
  raw.once("message", ended);
  raw.once("close", ended);
}

function contextOf(deps: LiveSocketDependencies, sock: WASocket, gate: OutputGate, deviceLists: DeviceLists): SessionContext {
  const { session, journal } = deps;
  return {
    ...session,
    // The spread would copy their current values, but both change while the socket is open.
    get settings() {
      return session.settings;
    },
    get proxies() {
      return session.proxies;
    },
    session,
    sock,
    auth: sock.authState,
    wire: { written: () => gate.written(), mark: () => gate.mark() },
    arrivedOffline: (id) => journal.arrivedOffline(id),
    arrivedAt: (id) => journal.arrivedAt(id),
    forgetDevices: (user) => deviceLists.del(user),
    retryCounters: deps.retryCounters,
    forgetKeyHolders: (group) => deps.auth.forgetKeyHolders(group),
  };
}
