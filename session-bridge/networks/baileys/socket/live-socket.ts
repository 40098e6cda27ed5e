// One network socket: Baileys as it is, with the durable parts put round it.
import { makeWASocket, type WASocket } from "baileys";
import { leaveOutDevicesWithoutKeys } from "./missing-prekeys.ts";
import { guardAppStateSync } from "./app-state-guard.ts";
import { forgetOwnDevicesWhenTold, type DeviceLists } from "./device-lists.ts";
import type { Journal } from "../durability/journal.ts";
import type { Mirror } from "../../../store/write-behind-cache.ts";
import { OutputGate } from "../durability/output-gate.ts";
import { rawSocket } from "./self-check.ts";
import type { Inbound, SessionContext, SessionLink } from "../session/session-context.ts";
import { socketConfig, type SocketParts } from "./socket-config.ts";

export type LiveParts = SocketParts & {
  mirror: Mirror;
  journal: Journal;
  link: SessionLink;
  inbound: Inbound;
  appStateUnanswered(collections: string[]): void;
};

export type LiveSocket = {
  readonly sock: WASocket;
  readonly ctx: SessionContext;
  /** The transport came up: what fails from now on is not the proxy's fault. */
  readonly connected: () => boolean;
  /** Takes the durable parts off a socket that has closed. Answers how many frames never left. */
  detach(): number;
  /** Cuts the line; Baileys then reports the close as of any lost line. */
  cut(): void;
};

export function openSocket(parts: LiveParts): LiveSocket {
  const sock = makeWASocket(socketConfig(parts));
  const raw = rawSocket(sock);
  if (raw === null) throw new Error("Baileys' WebSocket is not where it was");
  let connected = false;
  raw.once("open", () => {
    connected = true;
  });
  const gate = new OutputGate(parts.mirror, raw);
  const stopJournal = parts.journal.attach(sock, () => parts.auth.paired);
  forgetOwnDevicesWhenTold(sock, parts.deviceLists);
  leaveOutDevicesWithoutKeys(sock);
  guardAppStateSync(sock.authState.keys, (collections) => parts.appStateUnanswered(collections));
  const ctx = contextOf(parts, sock, gate, parts.deviceLists);
  const stopListening = parts.inbound.listen(ctx);
  return {
    sock,
    ctx,
    connected: () => connected,
    detach() {
      stopListening();
      stopJournal();
      return gate.close();
    },
    cut: () => raw.terminate(),
  };
}

function contextOf(parts: LiveParts, sock: WASocket, gate: OutputGate, deviceLists: DeviceLists): SessionContext {
  const { link, journal } = parts;
  return {
    ...link,
    get settings() {
      return link.settings;
    },
    link,
    sock,
    auth: sock.authState,
    wire: { written: () => gate.written() },
    arrivedOffline: (id) => journal.arrivedOffline(id),
    forgetDevices: (user) => deviceLists.del(user),
  };
}
