import { pino, type Logger } from "pino";

/** One JSON line per event, on stdout: time, level, process, event. Never log a key, a credential or a message's text. */
export function createLog(level: string, bridgeId: string): Logger {
  return pino({
    level,
    base: { process: "bridge", bridge: bridgeId },
    messageKey: "event",
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}

/** The loggable part of an error: its name and code. Its message may quote a body, a row or a URL with a password. */
export function errorFacts(error: unknown): { error: string; code?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? { error: error.name, code } : { error: error.name };
}
