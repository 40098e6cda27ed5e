import { setTimeout as sleep } from "node:timers/promises";
import { destination, type Logger, pino } from "pino";

const FLUSH_TIMEOUT_MS = 1_000;

/** The worker has the same limit (docs/operate/log-events.md, "Log events"). A longer field may quote a stranger's text. */
const MAX_TEXT_CHARACTERS = 256;
const cutText = (value: unknown): unknown => (typeof value === "string" ? value.slice(0, MAX_TEXT_CHARACTERS) : value);

const cutTexts = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cutText(value)]));

/** One JSON line per event on stdout. Never log keys, credentials or message text. */
export function createLog(level: string, bridgeId: string): Logger {
  const options = {
    level,
    base: { process: "bridge", bridge: bridgeId },
    messageKey: "event",
    formatters: { level: (label: string) => ({ level: label }), log: cutTexts },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  // pino reports the end of a flush only if `minLength` is set. Every line is longer than 1 byte, so nothing is buffered.
  return pino(options, destination({ dest: 1, sync: false, minLength: 1 }));
}

export async function flushLog(logger: Logger): Promise<void> {
  const written = new Promise<void>((resolve) => logger.flush(() => resolve()));
  await Promise.race([written, sleep(FLUSH_TIMEOUT_MS)]);
}

/** Returns only the name and code, which are safe to log. The message may quote a body, a row or a URL with a password. */
export function errorFacts(error: unknown): { error: string; code?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? { error: error.name, code } : { error: error.name };
}
