import { createServer, type ServerResponse } from "node:http";
import type { Bridge } from "./bridge.ts";
import { METRICS_CONTENT_TYPE } from "./metrics/registry.ts";

type Pages = Pick<Bridge, "health" | "metrics">;

/**
 * Serves `GET /health` (200 while the bridge accepts sessions, 503 while it drains) and `GET /metrics` (docs/operate/monitoring.md,
 * "Metrics"). Both are unauthenticated and name no connection. Rejects when the port is not available.
 */
export async function serveHealth(host: string, port: number, pages: Pages): Promise<void> {
  const server = createServer((request, response) => {
    if (request.method === "GET" && request.url === "/health") return answerHealth(response, pages);
    if (request.method === "GET" && request.url === "/metrics") {
      return response.setHeader("content-type", METRICS_CONTENT_TYPE).end(pages.metrics());
    }
    return response.setHeader("content-type", "application/json").writeHead(404).end('{"error":"not_found"}');
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}

function answerHealth(response: ServerResponse, pages: Pages): void {
  const now = pages.health();
  response.setHeader("content-type", "application/json");
  response.writeHead(now.draining ? 503 : 200).end(JSON.stringify({ ok: !now.draining, ...now }));
}
