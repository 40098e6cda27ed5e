// Third-party proxy servers on loopback that require a username and password. Each records requested destinations.
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createSocksServer } from "@pondwader/socks5-server";
import { type PrepareRequestFunctionOpts, Server } from "proxy-chain";

/** Contains characters that must be escaped in a URL. */
const [USERNAME, PASSWORD] = ["ana", "p@ss:w/rd"];

export type RealProxy = {
  protocol: "http" | "https" | "socks5";
  port: number;
  username: string;
  password: string;
  /** Includes valid credentials. */
  url: string;
  /** `host:port` of each connection it accepted, in order. */
  readonly reached: string[];
  /** Stops the proxy and breaks its open connections. */
  close(): Promise<void>;
};

/** `tls`: certificate for a proxy reached over TLS. */
export async function startHttpProxy(tls: { key: string; cert: string } | null = null): Promise<RealProxy> {
  const reached: string[] = [];
  const options = {
    host: "127.0.0.1",
    port: 0,
    prepareRequestFunction: ({ username, password, hostname, port }: PrepareRequestFunctionOpts) => {
      const known = username === USERNAME && password === PASSWORD;
      if (known) reached.push(`${hostname}:${port}`);
      return { requestAuthentication: !known };
    },
  };
  const server = new Server(tls === null ? options : { ...options, serverType: "https", httpsOptions: tls });
  await server.listen();
  return proxyOf(tls === null ? "http" : "https", server.port, reached, () => server.close(true));
}

export async function startSocksProxy(): Promise<RealProxy> {
  const reached: string[] = [];
  const sockets = new Set<Socket>();
  const socks = createSocksServer({ auth: { username: USERNAME, password: PASSWORD } });
  socks.setRulesetValidator(({ destAddress, destPort }) => {
    reached.push(`${destAddress}:${destPort}`);
    return true;
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
    socks._handleConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return proxyOf("socks5", port, reached, async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
}

function proxyOf(protocol: RealProxy["protocol"], port: number, reached: string[], close: () => Promise<void>): RealProxy {
  const url = `${protocol}://${USERNAME}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
  return { protocol, port, username: USERNAME, password: PASSWORD, url, reached, close };
}
