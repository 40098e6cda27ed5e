import { setTimeout as sleep } from "node:timers/promises";
import { destination, type Logger, pino } from "pino";

/** How long the last lines may take to be written. */
const FLUSH_TIMEOUT_MS = 1_000;

/** As in the worker (docs/operate/log-events.md, "Log events"): a text may be what a stranger sent. */
const MAX_TEXT_CHARACTERS = 256;
const cutText = (value: unknown): unknown => (typeof value === "string" ? value.slice(0, MAX_TEXT_CHARACTERS) : value);

const cutTexts = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cutText(value)]));

/** One JSON line per event, on stdout: time, level, process, event. Never log a key, a credential or a message's text. */
export function createLog(level: string, bridgeId: string): Logger {
  const options = {
    level,
    base: { process: "bridge", bridge: bridgeId },
    messageKey: "event",
    formatters: { level: (label: string) => ({ level: label }), log: cutTexts },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  // With a least length the library says when a flush has ended; each line is longer, so none waits.
  return pino(options, destination({ dest: 1, sync: false, minLength: 1 }));
}

/**
 * Resolves when everything is written, or cannot be. To be awaited before the process exits: the library's own flush at the exit repeats a
 * write that is refused for ever, so a bridge whose log nobody reads any more would never end.
 */
export async function flushLog(logger: Logger): Promise<void> {
  const written = new Promise<void>((resolve) => logger.flush(() => resolve()));
  await Promise.race([written, sleep(FLUSH_TIMEOUT_MS)]);
}

/** The loggable part of an error: its name and code. Its message may quote a body, a row or a URL with a password. */
export function errorFacts(error: unknown): { error: string; code?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? { error: error.name, code } : { error: error.name };
}
