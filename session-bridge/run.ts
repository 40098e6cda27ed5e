import type { Logger } from "pino";
import { Bridge } from "./bridge.ts";
import { collectWhenIdle } from "./process/idle-collection.ts";
import { createLog, errorFacts, flushLog } from "./log.ts";
import { startBaileys } from "./networks/baileys/start.ts";
import { withAssignedPool } from "./gateway/assigned-pool.ts";
import type { Settings } from "./settings.ts";
import { createServer, type ServerResponse } from "node:http";
import { METRICS_CONTENT_TYPE } from "./metrics/registry.ts";

/** Hosts typically kill a process after ten seconds, and flushing sessions takes less. BRIDGE_DRAIN_SECONDS overrides this. */
const DRAIN_TIMEOUT_MS = 8_000;
/** The process exits above this number of uncaught exceptions per minute, because it can no longer be trusted. */
const MAX_EXCEPTIONS_PER_MINUTE = 20;

export async function runBridge(settings: Settings): Promise<void> {
  const logger = createLog(settings.logLevel, settings.bridgeId);
  const started = await startBaileys(settings, logger);
  if (!started.ok) {
    console.error(`session bridge: this Baileys lacks required hooks: ${started.missing.join("; ")}`);
    process.exit(1);
  }
  logUncaughtErrors(logger);
  const leave = (exitCode: number): void => {
    setTimeout(() => process.exit(exitCode), DRAIN_TIMEOUT_MS).unref();
    void bridge.drain().then(() => {
      logger.info("bridge.stopped");
      return exit(logger, exitCode);
    });
  };
  const bridge = new Bridge(await withAssignedPool(settings, logger), logger, started.library, leave);
  await serveHealth(settings.health.host, settings.health.port, bridge).catch((error: unknown) => {
    console.error(
      `session bridge: BRIDGE_HEALTH_PORT: cannot listen on ${settings.health.host}:${settings.health.port} (${errorFacts(error).code ?? "failed"})`,
    );
    process.exit(2);
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => bridge.handOver(settings.drainMs));
  bridge.start();
  collectWhenIdle();
  logger.info({ network: settings.network.kind, capacity: settings.capacity }, "bridge.started");
  if (!started.converter) logger.warn({ missing: "ffmpeg" }, "converter.missing");
}

async function exit(logger: Logger, code: number): Promise<never> {
  await flushLog(logger);
  return process.exit(code);
}

/** An error in one session must not end the others. Continuing is safe, because their state is always durable. */
function logUncaughtErrors(logger: Logger): void {
  const recent: number[] = [];
  process.on("uncaughtException", (error) => {
    logger.error({ ...errorFacts(error), at: firstFrame(error) }, "bridge.uncaught");
    const now = Date.now();
    recent.push(now);
    while ((recent[0] ?? now) < now - 60_000) recent.shift();
    if (recent.length > MAX_EXCEPTIONS_PER_MINUTE) void exit(logger, 1);
  });
  // Baileys leaves several unhandled rejections when a socket closes, so a network outage causes hundreds.
  process.on("unhandledRejection", (error) => logger.warn({ ...errorFacts(error), at: firstFrame(error) }, "bridge.unhandled"));
}

/** Logs only the stack frame, because the message may quote data that must not be logged. */
function firstFrame(error: unknown): string | undefined {
  const line = error instanceof Error ? error.stack?.split("\n").find((one) => one.trim().startsWith("at ")) : undefined;
  return line?.trim().slice(0, 200);
}

type Pages = Pick<Bridge, "health" | "metrics">;

/** Serves `GET /health` (503 while draining) and `GET /metrics`, unauthenticated. Rejects if the port is taken. */
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
