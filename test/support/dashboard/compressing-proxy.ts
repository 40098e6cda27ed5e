// Compresses responses to the browser, as production does but the local runtime does not.
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip } from "node:zlib";

const TEXT = /^(text\/(html|css|javascript)|application\/(javascript|json|manifest\+json)|image\/svg\+xml)/;

export type CompressingProxy = { url: string; close: () => Promise<void> };

export async function compressingProxy(target: string): Promise<CompressingProxy> {
  const server: Server = createServer((asked, answer) => {
    const passed = request(new URL(asked.url ?? "/", target), {
      method: asked.method,
      headers: { ...asked.headers, host: new URL(target).host },
    });
    passed.on("response", (given) => {
      const { "content-length": _length, ...headers } = given.headers;
      if (TEXT.test(given.headers["content-type"] ?? "")) {
        answer.writeHead(given.statusCode ?? 502, { ...headers, "content-encoding": "gzip" });
        given.pipe(createGzip()).pipe(answer);
      } else {
        answer.writeHead(given.statusCode ?? 502, given.headers);
        given.pipe(answer);
      }
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
