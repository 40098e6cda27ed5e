// The Cloudflare zone in front of a deployed worker: https, and settings that can answer for the worker.
import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { createServer, request as ask } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type ZoneAnswer = { status: number; headers: OutgoingHttpHeaders; body: string };
/** How the zone handles a request; `pass` fetches the worker's response. */
export type Setting = (path: string, headers: IncomingHttpHeaders, pass: () => Promise<ZoneAnswer>) => Promise<ZoneAnswer>;

export const passAll: Setting = (_path, _headers, pass) => pass();

export type Zone = { origin: string; set(setting: Setting): void; dispose(): Promise<void> };

/** `worker`: its current port. */
export async function openZone(tls: { keyPem: string; certPem: string; caPem: string }, worker: () => number): Promise<Zone> {
  let setting = passAll;
  const server = createServer({ key: tls.keyPem, cert: tls.certPem }, async (request, response) => {
    const { url: path = "/", method = "GET", headers } = request;
    const pass = async (): Promise<ZoneAnswer> => {
      const passed = ask({ host: "127.0.0.1", port: worker(), method, path, headers, ca: tls.caPem });
      passed.end();
      const [answer] = (await once(passed, "response")) as [IncomingMessage];
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
    };
    const { status, headers: answered, body } = await setting(path, headers, pass);
    const { "transfer-encoding": _chunked, "content-length": _length, connection: _kept, ...kept } = answered;
    response.writeHead(status, kept).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (next) => (setting = next),
    async dispose() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
