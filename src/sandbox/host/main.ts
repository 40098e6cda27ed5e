// `npm start` runs the whole gateway on one machine (docs/use/sandbox.md, "Flags").
import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { Demo } from "./demo.ts";
import { holderThatStays, removeHolder, writeHolder } from "#root/server/directory-holder.ts";
import { canWriteBeside, isOnPath, unusableMessage, writeAtomically } from "#root/server/files.ts";
import { keptPort, portOnceFree } from "#root/server/ports.ts";
import { openLogs } from "#root/server/processes/logs.ts";
import { commandLineOf, isAlive, parentOf } from "#root/server/processes/process-table.ts";
import { waitingFor } from "#root/server/processes/supervisor.ts";
import { HELD_BY_SANDBOX, problemWith, openStateDirectory } from "./state-directory.ts";
import { HELP, readFlags } from "./flags.ts";
import { panel } from "./banner.ts";
import { type Processes, startProcesses } from "./processes.ts";

/** Stored in the state directory, so that commands can find a folder's sandbox. */
const READY_FILE = "ready.json";

/** Runs until it is stopped. If the input is invalid, prints one line and exits with code 2. */
export async function run(args: readonly string[]): Promise<void> {
  const read = readFlags(args);
  if (!read.ok && read.help) return void process.stdout.write(`${HELP}\n`);
  if (!read.ok) return refuse(read.problem);
  const { flags } = read;
  const print = (text: string) => process.stdout.write(`${text}\n`);
  const runningNpm = npmOfThisProcess();
  const npm = runningNpm?.npm ?? null;
  const holder = await waitingFor("the last sandbox to end", print, holderThatStays(flags.state, HELD_BY_SANDBOX));
  if (holder !== null) return refuse(`${flags.state} is in use by another sandbox (process ${holder})`);
  // All checks run before any change. A wrong port, for example, must not cause a directory to be deleted.
  const problem = problemWith(flags.state, flags);
  if (problem !== null) return refuse(problem);
  if (flags.readyFile !== null && !canWriteBeside(flags.readyFile)) return refuse(`--ready-file ${flags.readyFile} cannot be written`);
  const port = await portOnceFree(flags.port);
  if (port === null) return refuse(`port ${flags.port} is in use; choose another with --port`);
  const networkPort = flags.live ? 0 : await portOnceFree(flags.networkPort);
  if (networkPort === null) return refuse(`port ${flags.networkPort} is in use; choose another with --network-port`);
  const opened = openStateDirectory(flags.state, flags);
  if (!opened.ok) return refuse(opened.problem);
  const { directory } = opened;
  try {
    writeHolder(directory.path, HELD_BY_SANDBOX, { ending: false, npm, groups: [] });
  } catch (error) {
    return refuse(unusableMessage(directory.path, error));
  }
  // Removes an earlier start's ready file, which could be mistaken for this one's.
  const readyFiles = [join(directory.path, READY_FILE), ...(flags.readyFile === null ? [] : [flags.readyFile])];
  const removeReadyFile = () => {
    for (const file of readyFiles) rmSync(file, { force: true });
  };
  removeReadyFile();

  const startedAt = Date.now();
  const logs = openLogs(directory.path, flags.verbose, print);
  print(`starting in ${directory.path}`);
  logs.event("sandbox.started", { port, strict: flags.strict, noLimits: flags.noLimits, live: flags.live });
  let ending = false;
  let writeReadyFiles = () => undefined as void;
  let groups: readonly number[] = [];
  // The directory may be missing or full. A restart or an orderly shutdown must not fail because of that.
  const bestEffort = (what: string, work: () => void) => {
    try {
      work();
    } catch (error) {
      const { code = "unknown error" } = error as NodeJS.ErrnoException;
      logs.event("sandbox.file_failed", { level: "error", what, code });
      print(`${what} (${code})`);
    }
  };
  const onChange = (now: readonly number[]) => {
    groups = now;
    bestEffort("sandbox.pid cannot be written", () => writeHolder(directory.path, HELD_BY_SANDBOX, { ending, npm, groups }));
    if (!ending) writeReadyFiles();
  };
  const graphPort = flags.live ? null : await keptPort(directory.graphPort);
  const processes: Processes = startProcesses({ flags, directory, port, networkPort, graphPort, logs, print, onChange });

  const end = async (code: number) => {
    if (ending) return;
    ending = true;
    onChange(groups);
    print("stopping");
    bestEffort("the ready file cannot be removed", removeReadyFile);
    await processes.stop();
    bestEffort("sandbox.pid cannot be removed", () => removeHolder(directory.path, HELD_BY_SANDBOX));
    logs.event("sandbox.stopped");
    logs.flush();
    process.exit(code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));
  if (runningNpm !== null) watchNpm(runningNpm, () => void end(0));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

  const demo = new Demo(processes, directory, flags.live);
  const start = async () => {
    await processes.ready();
    if (flags.live) return demo.prepare(print);
    print("connecting the demo number");
    return waitingFor("the demo number", print, demo.prepare(print));
  };
  try {
    const ready = await Promise.race([start(), processes.startFailed]);
    processes.started();
    // Written again after each restart, because the file lists the current process ids.
    writeReadyFiles = () => {
      const text = `${JSON.stringify({ ...ready, processes: processes.pids() }, null, 2)}\n`;
      for (const file of readyFiles) bestEffort("the ready file cannot be written", () => writeAtomically(file, text));
    };
    writeReadyFiles();
    const tookMs = Date.now() - startedAt;
    logs.event("sandbox.ready", { ms: tookMs });
    print(
      panel({ ...ready, processes: processes.pids() }, flags, tookMs, {
        logDirectory: shortest(logs.directory),
        converter: isOnPath("ffmpeg"),
        colors: process.stdout.isTTY && process.stdout.hasColors(),
      }),
    );
    if (flags.live) demo.pairInTerminal(print).catch((error: unknown) => print(`the QR cannot be shown: ${String(error)}`));
  } catch (error) {
    if (ending) return;
    process.stderr.write(`the sandbox could not start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.stderr.write(`its logs are in ${shortest(logs.directory)}\n`);
    await end(1);
  }
}

function shortest(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith("..") ? path : fromHere;
}

function refuse(problem: string): void {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
}

// The sandbox must end together with the `npm` that runs it. npm passes on SIGTERM and SIGINT, but not SIGHUP and SIGKILL.
const CHECK_INTERVAL_MS = 250;
/** The parent may be npm or a shell: some shells keep running between npm and the command, and others exec it. */
const SHELL = /^(\S*\/)?(ba|da|a|z|k)?sh(\s|$)/;

type RunningNpm = { npm: number | null; parent: number };

/** Returns null unless `npm start` or `npx` started this process. */
function npmOfThisProcess(): RunningNpm | null {
  if (!["start", "npx"].includes(process.env["npm_lifecycle_event"] ?? "")) return null;
  const parent = process.ppid;
  return { parent, npm: SHELL.test(commandLineOf(parent) ?? "") ? parentOf(parent) : parent };
}

function watchNpm({ npm, parent }: RunningNpm, onGone: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(parent) && (npm === null || isAlive(npm))) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
