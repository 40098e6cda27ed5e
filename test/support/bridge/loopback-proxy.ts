// A loopback proxy that records requested destinations. One port accepts both HTTP CONNECT and SOCKS5.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export type LoopbackProxy = {
  httpUrl: string;
  socksUrl: string;
  /** `host:port` of each connection, in order. */
  readonly reached: string[];
  close(): Promise<void>;
};

const SOCKS_VERSION = 5;

export async function startLoopbackProxy(): Promise<LoopbackProxy> {
  const reached: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.once("data", (first) => (first[0] === SOCKS_VERSION ? socks(socket, reached) : http(socket, first, reached)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    httpUrl: `http://127.0.0.1:${port}`,
    socksUrl: `socks5://127.0.0.1:${port}`,
    reached,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function http(socket: Socket, request: Buffer, reached: string[]): void {
  const target = /^CONNECT (\S+) HTTP/.exec(request.toString())?.[1];
  if (target === undefined) socket.end("HTTP/1.1 405 Method Not Allowed\r\n\r\n");
  else join(socket, target, reached, "HTTP/1.1 200 Connection Established\r\n\r\n");
}

function socks(socket: Socket, reached: string[]): void {
  socket.write(Buffer.of(SOCKS_VERSION, 0));
  socket.once("data", (request) => {
    const isName = request[3] === 3;
    const end = isName ? 5 + (request[4] ?? 0) : 8;
    const host = isName ? request.toString("latin1", 5, end) : [...request.subarray(4, 8)].join(".");
    join(socket, `${host}:${request.readUInt16BE(end)}`, reached, Buffer.of(SOCKS_VERSION, 0, 0, 1, 0, 0, 0, 0, 0, 0));
  });
}

function join(socket: Socket, target: string, reached: string[], welcome: string | Buffer): void {
  reached.push(target);
  const { hostname, port } = new URL(`tcp://${target}`);
  const upstream = connect(Number(port), hostname, () => {
    socket.write(welcome);
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on("error", () => socket.destroy());
  socket.on("close", () => upstream.destroy());
}
