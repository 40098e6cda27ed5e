import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { WebSocketServer } from "ws";
import { keysAsObjects } from "../session-bridge/process/keys-as-objects.ts";
import { verifyNatively } from "../session-bridge/process/native-signatures.ts";
import { Connection } from "./connection.ts";
import { createMediaHost } from "./media/media-host.ts";
import type { NetworkOptions } from "./network-state.ts";
import { TestNetwork } from "./network.ts";
import { loadIdentity } from "./security/network-keys.ts";
import type { Store } from "./store/store.ts";

export type StartOptions = NetworkOptions & {
  host?: string;
  socketPort?: number;
  mediaPort?: number;
  spareMediaHost?: boolean;
};

export type RunningNetwork = {
  network: TestNetwork;
  wsUrl: string;
  mediaHost: string;
  spareMediaHost?: string | undefined;
  /** In hex. Clients pin it as `WA_CERT_DETAILS.PUBLIC_KEY`. */
  rootPublicKey: string;
  caPem: string;
  close(): Promise<void>;
};

export async function startTestNetwork(options: StartOptions = {}): Promise<RunningNetwork> {
  // Both calls make cryptography cheaper, because simulated phones use a lot of it.
  keysAsObjects();
  verifyNatively();
  const host = options.host ?? "127.0.0.1";
  const network = new TestNetwork(options);
  const identity = await loadIdentity(network.store, host);
  const web = createServer((request, response) => {
    if (request.url !== "/sw.js") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/javascript" }).end(network.access.script());
  });
  const sockets = new WebSocketServer({
    server: web,
    perMessageDeflate: false,
    verifyClient: (_info, decide) => {
      const status = network.access.statusOfUpgrade();
      decide(status === null, status ?? undefined);
    },
  });
  // Ignored, because the HTTP server itself reports that a port is in use, and `ws` only repeats the error.
  sockets.on("error", () => {});
  sockets.on("connection", (socket) => new Connection(network, identity, socket));
  const media = createMediaHost(network, identity.tls);
  const spare = createMediaHost(network, identity.tls, true);
  const close = async (): Promise<void> => {
    for (const socket of sockets.clients) socket.terminate();
    media.closeAllConnections();
    spare.closeAllConnections();
    await Promise.all([web, media, spare].map((server) => new Promise((resolve) => server.close(resolve))));
    network.close();
  };
  try {
    const mediaPort = await listen(media, host, options.mediaPort, network.store, "media-port");
    const mediaHost = (network.blobs.host = `${host}:${mediaPort}`);
    if (options.spareMediaHost) {
      network.blobs.spareHost = `${host}:${await listen(spare, host, undefined, network.store, "spare-media-port")}`;
    }
    const { spareHost: spareMediaHost } = network.blobs;
    const socketPort = await listen(web, host, options.socketPort, network.store, "socket-port");
    await network.durable();
    const rootPublicKey = Buffer.from(identity.rootPublicKey).toString("hex");
    return {
      network,
      wsUrl: `ws://${host}:${socketPort}/ws/chat`,
      mediaHost,
      spareMediaHost,
      rootPublicKey,
      caPem: identity.tls.caPem,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reuses the last port, so that clients find the network after a restart. */
export async function listen(server: Server, host: string, asked: number | undefined, store: Store, setting: string): Promise<number> {
  const remembered = Number(store.setting(setting)?.toString() ?? 0);
  const port = asked || remembered;
  try {
    await listenOn(server, host, port);
  } catch (error) {
    if (asked || !isPortTaken(error)) throw error;
    await listenOn(server, host, 0);
  }
  const { port: taken } = server.address() as AddressInfo;
  store.saveSetting(setting, Buffer.from(String(taken)));
  return taken;
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
