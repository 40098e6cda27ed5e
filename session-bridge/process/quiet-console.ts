/** libsignal prints whole sessions with private keys, so this must run before baileys does any work. */

const LEVELS = ["debug", "error", "info", "log", "trace", "warn"] as const;
const INSTALLED = Symbol.for("session-bridge.quiet-console");

// Callers are recognized by file, so nothing depends on the wording of their output.
const LIBSIGNAL_FRAME = /[\\/]libsignal[\\/]/;

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
