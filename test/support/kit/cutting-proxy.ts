import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";

export type CuttingProxy = { readonly url: string; close(): void };

/** Passes calls on to `target`. If `isCut` is true for a response, the connection is cut after the call has taken effect. */
export async function startCuttingProxy(target: string, isCut: () => boolean): Promise<CuttingProxy> {
  const { hostname: host, port } = new URL(target);
  const proxy = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const upstream = ask({ host, port, method, path, headers }, (answer) => {
      if (isCut()) {
        answer.resume();
        outgoing.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
