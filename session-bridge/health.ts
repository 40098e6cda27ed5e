import { createServer, type ServerResponse } from "node:http";
import type { Bridge } from "./bridge.ts";
import { METRICS_CONTENT_TYPE } from "./metrics/registry.ts";

type Pages = Pick<Bridge, "health" | "metrics">;

/**
 * `GET /health`: 200 while the bridge takes sessions, 503 while it drains. `GET /metrics`: docs/operate/metrics.md, "Metrics". Neither names a
 * connection, and neither asks who wants to know: the port is for the operator's own network. Rejects when it cannot be had.
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
