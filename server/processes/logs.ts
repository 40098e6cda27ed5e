// Writes one log file per process in the state directory. `--verbose` also prints the lines.
import { join, dirname } from "node:path";
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { styleText } from "node:util";
import { parseJson } from "@gateway/protocol/json.ts";

/** Number of a log's last lines that are shown when a process cannot start. */
const LAST_LINES = 5;

export type Logs = {
  directory: string;
  printed(process: string, line: string): void;
  event(event: string, fields?: Record<string, unknown>): void;
  lastProblems(process: string): string[];
  flush(): void;
};

/** `host` is the name of the supervising process in its own log lines. */
export function openLogs(stateDirectory: string, verbose: boolean, print: (text: string) => void, host = "sandbox"): Logs {
  const directory = join(stateDirectory, "logs");
  const files = new Map<string, LogFile>();
  const problems = new Map<string, string[]>();
  const fileOf = (process: string): LogFile => {
    const file = files.get(process) ?? new LogFile(join(directory, `${process}.log`));
    files.set(process, file);
    return file;
  };
  const logs: Logs = {
    directory,
    printed(process, line) {
      const read = readLogLine(process, line, new Date());
      const json = JSON.stringify(read);
      fileOf(process).append(json);
      if (verbose) print(globalThis.process.stdout.isTTY ? readableLine(read) : json);
      if (read.level === "info" || read.level === "debug") return;
      const text = read.event === "output" ? String(read["text"]) : readableLine(read);
      // Shows each problem only once, even if it recurs at every start.
      const others = (problems.get(process) ?? []).filter((one) => one !== text);
      problems.set(process, [...others, text].slice(-LAST_LINES));
    },
    event: (event, fields = {}) => logs.printed(host, JSON.stringify({ event, ...fields })),
    lastProblems: (process) => problems.get(process) ?? [],
    flush() {
      for (const file of files.values()) file.flush();
    },
  };
  return logs;
}

/** A log uses at most twice this size, including its older part. */
const MAX_BYTES = 10 * 1024 * 1024;

/** A full log is renamed to `FILE.1`, replacing the previous one. */
export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number | null = null;
  #bytes = 0;
  #waiting: string[] = [];

  constructor(path: string, maxBytes = MAX_BYTES) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Writes the lines from one event-loop turn together, because each write is costly. */
  append(line: string): void {
    this.#waiting.push(line);
    if (this.#waiting.length === 1) setImmediate(() => this.flush());
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.from(`${this.#waiting.join("\n")}\n`);
    this.#waiting = [];
    try {
      if (this.#file !== null && this.#bytes + bytes.length > this.#maxBytes) this.#rotate();
      writeSync(this.#opened(), bytes);
      this.#bytes += bytes.length;
    } catch {
      // Lines are dropped while the disk is full, because they would fill the memory. The next flush tries again with newer ones.
    }
  }

  #opened(): number {
    if (this.#file !== null) return this.#file;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    this.#file = openSync(this.#path, "a", 0o600);
    this.#bytes = fstatSync(this.#file).size;
    return this.#file;
  }

  #rotate(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    renameSync(this.#path, `${this.#path}.1`);
    this.#bytes = 0;
  }
}

const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];

/** One JSON object per line. `time` is in ISO 8601 (UTC). */
type LogLine = { time: string; level: Level; process: string; event: string } & Record<string, unknown>;

/** Parses a line that a process printed. Text that is not a log line becomes an `output` event. */
export function readLogLine(process: string, printed: string, now: Date): LogLine {
  const fields = printed.startsWith("{") ? (parseJson(printed) as Record<string, unknown> | undefined) : undefined;
  const { time = now.toISOString(), event, level, process: _, ...rest } = fields ?? {};
  const base = { time: String(time), process };
  if (typeof event !== "string") return { ...base, level: "warn", event: "output", text: printed };
  // The worker's lines have no level, because in production the platform adds it.
  const status = Number(rest["status"]);
  // 501 is not an error, because it means that this kind of number does not support the call.
  const failed = (rest["error"] ?? null) !== null || (status >= 500 && status !== 501);
  const known = LEVELS.find((one) => one === level) ?? (failed ? "error" : "info");
  return { time: base.time, level: known, process, event, ...rest };
}

const COLOURS = { debug: "dim", info: "green", warn: "yellow", error: "red" } as const;
const FIRST = ["method", "route", "status", "ms"];
const UUID = /^[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)/;

/** Uses color if the terminal supports it and NO_COLOR is not set. */
export function readableLine({ time, level, process, event, ...fields }: LogLine): string {
  const clock = new Date(time).toTimeString().slice(0, 8);
  const names = [...FIRST.filter((name) => name in fields), ...Object.keys(fields).filter((name) => !FIRST.includes(name))];
  const facts = names.map((name) => [name, readable(fields[name])] as const);
  const said = facts.map(([name, value]) =>
    ["text", "method", "route", "status"].includes(name) ? value : styleText("dim", `${name}=${value}`),
  );
  return [styleText("dim", clock), styleText(COLOURS[level], level.padEnd(5)), process.padEnd(7), event, ...said].join(" ");
}

function readable(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return UUID.exec(text)?.[0] ?? text;
}
