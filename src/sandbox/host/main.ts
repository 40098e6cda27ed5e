// `npm start`: the whole gateway on one machine. The contract of its flags and files: docs/sandbox.md, "Flags".
import { rmSync } from "node:fs";
import { Demo } from "./demo.ts";
import { holderThatStays, removeHolder, writeHolder } from "./directory-holder.ts";
import { canWriteBeside, writeAtomically } from "./files.ts";
import { readFlags, USAGE } from "./flags.ts";
import { printBanner } from "./banner.ts";
import { freePort } from "./http.ts";
import { watchNpm } from "./npm-watch.ts";
import { type Processes, startProcesses } from "./processes.ts";
import { problemWith, openStateDirectory } from "./state-directory.ts";

/** Starts everything and stays alive until it is asked to end. Bad input ends with one line and exit code 2. */
export async function run(args: readonly string[]): Promise<void> {
  const read = readFlags(args);
  if (!read.ok) return refuse(`${read.problem}. Usage: ${USAGE}`);
  const { flags } = read;
  const holder = await holderThatStays(flags.state);
  if (holder !== null) return refuse(`${flags.state} is in use by another sandbox (process ${holder})`);
  // All checks run before anything is changed: a mistyped port must not cost a directory's contents.
  const problem = problemWith(flags.state, flags);
  if (problem !== null) return refuse(problem);
  if (flags.readyFile !== null && !canWriteBeside(flags.readyFile)) return refuse(`--ready-file ${flags.readyFile} cannot be written`);
  const port = await freePort(flags.port);
  if (port === null) return refuse(`port ${flags.port} is in use; choose another with --port`);
  const networkPort = flags.live ? 0 : await freePort(flags.networkPort);
  if (networkPort === null) return refuse(`port ${flags.networkPort} is in use; choose another with --network-port`);
  const opened = openStateDirectory(flags.state, flags);
  if (!opened.ok) return refuse(opened.problem);
  const { directory } = opened;
  // A ready file of an earlier start could be mistaken for this one's.
  const removeReadyFile = () => flags.readyFile !== null && rmSync(flags.readyFile, { force: true });
  removeReadyFile();

  const startedAt = Date.now();
  const print = (text: string) => process.stdout.write(`${text}\n`);
  print(`starting in ${directory.path}`);
  let ending = false;
  let writeReadyFile = () => undefined as void;
  let groups: readonly number[] = [];
  const onChange = (now: readonly number[]) => {
    groups = now;
    writeHolder(directory.path, { ending, groups });
    if (!ending) writeReadyFile();
  };
  onChange([]);
  const processes: Processes = startProcesses({ flags, directory, port, networkPort, print, onChange });

  const end = async (code: number) => {
    if (ending) return;
    ending = true;
    onChange(groups);
    print("stopping");
    removeReadyFile();
    await processes.stop();
    removeHolder(directory.path);
    process.exit(code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));
  watchNpm(() => void end(0));
  // Its reader may end before it.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

  try {
    await processes.ready();
    if (!flags.live) print("connecting the demo number");
    const demo = new Demo(processes, directory, flags.live);
    const ready = await demo.prepare();
    // A restarted process has a new pid: the file always lists the current ones.
    writeReadyFile = () => {
      if (flags.readyFile !== null)
        writeAtomically(flags.readyFile, `${JSON.stringify({ ...ready, processes: processes.pids() }, null, 2)}\n`);
    };
    writeReadyFile();
    printBanner({ ...ready, processes: processes.pids() }, flags, Date.now() - startedAt, print);
    if (flags.live) demo.pairInTerminal(print).catch((error: unknown) => print(`the QR cannot be shown: ${String(error)}`));
  } catch (error) {
    process.stderr.write(`the sandbox could not start: ${error instanceof Error ? error.message : String(error)}\n`);
    await end(1);
  }
}

function refuse(problem: string): void {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
}
