import { createServer } from "node:net";

/** The port if it is free, any free port for 0, null if the port is in use. Loopback only. */
export function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const found = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => resolve(found));
    });
  });
}
