import { createServer } from "node:http";
import type { BridgeHealth } from "./bridge.ts";

/** `GET /health`: 200 while the bridge takes sessions, 503 while it drains. Rejects when the port cannot be had. */
export async function serveHealth(host: string, port: number, health: () => BridgeHealth): Promise<void> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.method !== "GET" || request.url !== "/health") {
      response.writeHead(404).end('{"error":"not_found"}');
      return;
    }
    const now = health();
    response.writeHead(now.draining ? 503 : 200).end(JSON.stringify({ ok: !now.draining, ...now }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}
