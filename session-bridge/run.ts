import type { Logger } from "pino";
import { Bridge } from "./bridge.ts";
import { serveHealth } from "./health.ts";
import { createLog, errorFacts } from "./log.ts";
import { listen } from "./networks/baileys/inbound/listen.ts";
import { runCommand } from "./networks/baileys/commands/commands.ts";
import { disconnected, recall, send } from "./networks/baileys/outbound/outbound.ts";
import { missingHooks } from "./networks/baileys/socket/self-check.ts";
import { trustLocalNetwork, verifyStrictly } from "./networks/baileys/socket/process-set-up.ts";
import { decryptOnCopies } from "./networks/baileys/durability/trial-decryption.ts";
import type { Settings } from "./settings.ts";

/** A container host gives a process about ten seconds; sessions are handed over well before. */
const DRAIN_MS = 8_000;
/** So many exceptions nobody caught within a minute, and the process is past trusting. */
const EXCEPTIONS_A_MINUTE = 20;

export async function runBridge(settings: Settings): Promise<void> {
  const logger = createLog(settings.logLevel, settings.bridgeId);
  verifyStrictly();
  decryptOnCopies();
  if (settings.network.kind === "local") trustLocalNetwork(settings.network.root, settings.network.ca);
  const missing = await missingHooks();
  if (missing.length > 0) {
    console.error(`session bridge: this Baileys lacks what durability rests on: ${missing.join("; ")}`);
    process.exit(1);
  }
  surviveErrors(logger);
  const leave = (): void => {
    setTimeout(() => process.exit(0), DRAIN_MS).unref();
    void bridge.drain().then(() => {
      logger.info("bridge.stopped");
      process.exit(0);
    });
  };
  const bridge = new Bridge(settings, logger, { inbound: { listen }, outbound: { send, recall, disconnected, runCommand } }, leave);
  await serveHealth(settings.health.host, settings.health.port, () => bridge.health()).catch((error: unknown) => {
    console.error(
      `session bridge: BRIDGE_HEALTH_PORT: cannot listen on ${settings.health.host}:${settings.health.port} (${errorFacts(error).code ?? "failed"})`,
    );
    process.exit(2);
  });
  bridge.start();
  logger.info({ network: settings.network.kind, capacity: settings.capacity }, "bridge.started");
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, leave);
}

/** One session's accident must not end the others: their state is durable at every moment, so going on is safe. */
function surviveErrors(logger: Logger): void {
  const recent: number[] = [];
  process.on("uncaughtException", (error) => {
    logger.error({ ...errorFacts(error), at: placeOf(error) }, "bridge.uncaught");
    const now = Date.now();
    recent.push(now);
    while ((recent[0] ?? now) < now - 60_000) recent.shift();
    if (recent.length > EXCEPTIONS_A_MINUTE) process.exit(1);
  });
  // Baileys leaves several behind whenever a socket closes under it; a network outage brings hundreds.
  process.on("unhandledRejection", (error) => logger.warn({ ...errorFacts(error), at: placeOf(error) }, "bridge.unhandled"));
}

/** Where it was thrown; the message may quote what must not be logged. */
function placeOf(error: unknown): string | undefined {
  const line = error instanceof Error ? error.stack?.split("\n").find((one) => one.trim().startsWith("at ")) : undefined;
  return line?.trim().slice(0, 200);
}
