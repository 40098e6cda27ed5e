// `npm run serve` runs the production gateway on one machine (docs/operate/one-machine.md, "Start").
import { startNightlyBackups } from "./backup/nightly.ts";
import { dataProblem, HELD_BY_MOVE, HELD_BY_SERVER, openDataFolder } from "./data-folder.ts";
import { holderThatStays, removeHolder, writeHolder } from "./directory-holder.ts";
import { startDiskWatch } from "./disk-watch.ts";
import { unusableMessage } from "./files.ts";
import { lockedMessage, lockFolder } from "./folder-lock.ts";
import { openFront } from "./front/front.ts";
import { portOnceFree } from "./ports.ts";
import { openLogs } from "./processes/logs.ts";
import { createSupervisor } from "./processes/supervisor.ts";
import { startServedProcesses } from "./processes.ts";
import { readSettings } from "./settings-file.ts";
import type { ServeSettings } from "./settings.ts";

/** Longer than a bridge takes to store its sessions. */
const STOP_TIMEOUT_MS = 10_000;

/** Runs until it is stopped. If the settings are unusable, prints one line, changes nothing and exits with code 1. */
export async function serve(): Promise<void> {
  const read = readSettings();
  if (!read.ok) return refuse(read.problem);
  const { settings } = read;
  const holder = await holderThatStays(settings.dataFolder, HELD_BY_SERVER);
  if (holder !== null) return refuse(`DATA_DIR: ${settings.dataFolder} is in use by another gateway (process ${holder})`);
  const mover = await holderThatStays(settings.dataFolder, HELD_BY_MOVE);
  if (mover !== null)
    return refuse(`DATA_DIR: ${settings.dataFolder} is in use by a move (process ${mover}); start the gateway once it has ended`);
  const problem = dataProblem(settings.dataFolder);
  if (problem !== null) return refuse(`DATA_DIR: ${problem}`);
  if ((await portOnceFree(settings.listen.port)) === null) return refuse(`PORT: port ${settings.listen.port} is in use`);
  try {
    if (!lockFolder(settings.dataFolder)) return refuse(`DATA_DIR: ${lockedMessage(settings.dataFolder)}`);
  } catch (error) {
    return refuse(`DATA_DIR: ${unusableMessage(settings.dataFolder, error)}`);
  }
  const opened = openDataFolder(settings.dataFolder);
  if (!opened.ok) return refuse(`DATA_DIR: ${opened.problem}`);
  const { folder } = opened;
  let groups: readonly number[] = [];
  let ending = false;
  const hold = () => writeHolder(folder.path, HELD_BY_SERVER, { ending, npm: null, groups });
  try {
    hold();
  } catch (error) {
    return refuse(`DATA_DIR: ${unusableMessage(folder.path, error)}`);
  }

  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const logs = openLogs(folder.path, true, (line) => process.stdout.write(`${line}\n`), "host");
  const print = (text: string) => logs.event("host.notice", { text });
  logs.event("host.started", { url: settings.appUrl, bridges: settings.bridges });
  const onChange = (now: readonly number[]) => {
    groups = now;
    try {
      hold();
    } catch (error) {
      // The disk may be full, but that must not prevent a restart.
      logs.event("host.file_failed", { level: "error", code: (error as NodeJS.ErrnoException).code });
    }
  };
  const supervisor = createSupervisor({ logs, print, onChange, stopTimeoutMs: STOP_TIMEOUT_MS });
  const onAdminLink = (link: string) => process.stdout.write(adminNotice(settings, link));
  const processes = await startServedProcesses({ settings, folder, supervisor, print, onAdminLink });
  // A database that was opened on a read-only disk stays read-only until it is opened again.
  const disk = startDiskWatch(folder.path, logs, { onWritable: () => processes.restartWorker() });
  const nightly = startNightlyBackups(settings.backups, logs);
  const end = async (code: number) => {
    if (ending) return;
    ending = true;
    onChange(groups);
    logs.event("host.stopping");
    nightly.stop();
    disk.stop();
    await processes.stop();
    removeHolder(folder.path, HELD_BY_SERVER);
    logs.event("host.stopped");
    logs.flush();
    process.exit(code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));
  try {
    const { port, frontSecret: secret } = processes;
    await openFront(settings.listen, { port, secret, proxies: settings.proxies, fault: () => disk.fault() });
    await Promise.race([processes.ready(), supervisor.startFailed]);
    supervisor.started();
    logs.event("host.ready", { url: settings.appUrl, listen: settings.listen, processes: { host: process.pid, ...processes.pids() } });
  } catch (error) {
    if (ending) return;
    process.stderr.write(`the gateway could not start: ${error instanceof Error ? error.message : String(error)}\n`);
    await end(1);
  }
}

/** Plain text that stays out of the log files, because anyone with the link becomes an administrator. */
function adminNotice({ adminEmail }: ServeSettings, link: string): string {
  return `\nThe first administrator, ${adminEmail}, chooses a password here, once and within an hour:\n\n  ${link}\n\nA new link: start the gateway again.\n\n`;
}

function refuse(problem: string): void {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
