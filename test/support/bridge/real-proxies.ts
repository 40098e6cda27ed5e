// Proxies as others have written them, on loopback, that ask for a name and a password. Each says what it was asked to reach.
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createSocksServer } from "@pondwader/socks5-server";
import { type PrepareRequestFunctionOpts, Server } from "proxy-chain";

/** With characters that an address has to escape. */
const [USERNAME, PASSWORD] = ["ana", "p@ss:w/rd"];

export type RealProxy = {
  protocol: "http" | "https" | "socks5";
  port: number;
  username: string;
  password: string;
  /** With the right credentials. */
  url: string;
  /** `host:port`, one for each connection that it let through, in order. */
  readonly reached: string[];
  /** Dies: what goes through it breaks off. */
  close(): Promise<void>;
};

/** `tls`: of a proxy that is reached by TLS. */
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
