// One log file per process in the state directory; `--verbose` also prints them.
import { join } from "node:path";
import { LogFile } from "./log-file.ts";
import { readableLine, readLogLine } from "./log-line.ts";

/** The last lines of a log, shown when a process cannot start. */
const LAST_LINES = 5;

export type Logs = {
  directory: string;
  printed(process: string, line: string): void;
  event(event: string, fields?: Record<string, unknown>): void;
  lastProblems(process: string): string[];
  flush(): void;
};

export function openLogs(stateDirectory: string, verbose: boolean, print: (text: string) => void): Logs {
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
      // Show a problem that repeats at every start only once.
      const others = (problems.get(process) ?? []).filter((one) => one !== text);
      problems.set(process, [...others, text].slice(-LAST_LINES));
    },
    event: (event, fields = {}) => logs.printed("sandbox", JSON.stringify({ event, ...fields })),
    lastProblems: (process) => problems.get(process) ?? [],
    flush() {
      for (const file of files.values()) file.flush();
    },
  };
  return logs;
}
