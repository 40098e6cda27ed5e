/**
 * Drops what libsignal prints. Its session code prints whole sessions, private keys included, with `console.info` during ordinary traffic,
 * so this must run before anything that imports baileys gets work to do.
 */

const LEVELS = ["debug", "error", "info", "log", "trace", "warn"] as const;
const INSTALLED = Symbol.for("session-bridge.quiet-console");

// The caller is recognized by its file, so no wording of the library gets through.
const LIBSIGNAL_FRAME = /[\\/]libsignal[\\/]/;

/** Installs the filter on the process's console; further calls do nothing. */
export function quietConsole(target: Console = console): void {
  if (Object.hasOwn(target, INSTALLED)) return;
  Object.defineProperty(target, INSTALLED, { value: true });
  for (const level of LEVELS) {
    const write = target[level].bind(target);
    target[level] = (...words: unknown[]): void => {
      if (!LIBSIGNAL_FRAME.test(callers())) write(...words);
    };
  }
}

function callers(): string {
  const depth = Error.stackTraceLimit;
  Error.stackTraceLimit = 12;
  const { stack = "" } = new Error("who speaks");
  Error.stackTraceLimit = depth;
  return stack;
}
