// Parses a command's flags and arguments, and reports mistakes in them.
import { parseArgs, type ParseArgsConfig } from "node:util";

export type Flags = Record<string, string | boolean | string[] | undefined>;

export type Io = {
  print: (line: string) => void;
  warn: (line: string) => void;
  /** Asks for a secret without showing what is typed. */
  ask: (question: string) => Promise<string>;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
};

export type Command = {
  /** The arguments as the help shows them. */
  usage: string;
  summary: string;
  flags: Readonly<Record<string, { value?: string; many?: true; about: string }>>;
  /** Returns the exit code. */
  run: (given: { flags: Flags; words: string[] }, io: Io) => Promise<number>;
};

/** A mistake by the caller. The program prints it and exits with 2. */
export class UsageError extends Error {}

export const COMMON_FLAGS: Command["flags"] = {
  url: { value: "URL", about: "the gateway's address; default GATEWAY_URL, or the sandbox of this folder" },
  help: { about: "shows this help" },
};

export function parse(command: Command, args: readonly string[]): { flags: Flags; words: string[] } {
  const known = { ...command.flags, ...COMMON_FLAGS };
  const options: NonNullable<ParseArgsConfig["options"]> = Object.fromEntries(
    Object.entries(known).map(([name, { value, many }]) => [
      name,
      { type: value === undefined ? "boolean" : "string", ...(many === undefined ? {} : { multiple: true }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { flags: values as Flags, words: positionals };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code?.startsWith("ERR_PARSE_ARGS") !== true) throw error;
    const unknown = /^Unknown option '--([^']+)'/.exec(message)?.[1];
    if (unknown === undefined) throw new UsageError(message);
    throw new UsageError(`unknown option --${unknown}${suggestion(unknown, Object.keys(known), "--")}`);
  }
}

export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

export function listFlag(flags: Flags, name: string): string[] {
  const value = flags[name];
  return Array.isArray(value) ? value : [];
}

/** Returns ` (did you mean --forward-to?)`, or nothing if no known name is similar. */
export function suggestion(given: string, known: readonly string[], prefix = ""): string {
  const [best] = known.map((name) => ({ name, away: distance(given, name) })).sort((a, b) => a.away - b.away);
  return best !== undefined && best.away <= Math.max(2, given.length / 3) ? ` (did you mean ${prefix}${best.name}?)` : "";
}

/** Computes Levenshtein's edit distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
