// Makes a backup once a day.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { notAhead } from "@gateway/domain/clock-set-back.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Logs } from "../processes/logs.ts";
import type { BackupSettings } from "../settings.ts";
import { lastBackupAt } from "./make-backup.ts";

const COMMAND = fileURLToPath(new URL("backup-command.ts", import.meta.url));
const EXIT_WITH_PARENT = fileURLToPath(new URL("../processes/exit-with-parent.mjs", import.meta.url));
const RETRY_MS = HOUR_MS;

/** Returns the first time after `last` that has this time of day in UTC. */
export function nextBackupAt(time: string, last: number): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const timeOfDay = hours * HOUR_MS + minutes * MINUTE_MS;
  const candidate = Math.floor(last / DAY_MS) * DAY_MS + timeOfDay;
  return candidate > last ? candidate : candidate + DAY_MS;
}

type Running = { result: Promise<{ ok: boolean; text: string }>; stop(): void };

/** If the machine was off at the time of a backup, the backup is made after the next start. */
export function startNightlyBackups({ folder, time }: BackupSettings, logs: Logs, backUp = runCommand): { stop(): void } {
  if (time === null) return { stop: () => undefined };
  let since = Date.now();
  let retryAt = 0;
  let running: Running | null = null;
  const finished = async () => {
    try {
      running = backUp();
      return await running.result;
    } catch (error) {
      // The system could not start a process, for example because memory ran out.
      return { ok: false, text: error instanceof Error ? error.message : String(error) };
    }
  };
  const run = async () => {
    const { ok, text } = await finished();
    running = null;
    logs.event(ok ? "backup.written" : "backup.failed", { level: ok ? "info" : "error", text });
  };
  const timer = setInterval(() => {
    const now = Date.now();
    // If the clock was set back, both times lie in the future.
    [since, retryAt] = [Math.min(since, now), notAhead(retryAt, RETRY_MS, now)];
    if (running !== null || now < retryAt || now < nextBackupAt(time, lastBackupAt(folder, now) ?? since)) return;
    retryAt = now + RETRY_MS;
    void run();
  }, MINUTE_MS);
  return {
    stop() {
      clearInterval(timer);
      running?.stop();
    },
  };
}

/** Runs the backup in its own process, so that the host keeps serving and the memory is freed afterwards. */
function runCommand(): Running {
  const child = spawn(process.execPath, ["--import", EXIT_WITH_PARENT, "--disable-warning=ExperimentalWarning", COMMAND], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const { promise, resolve } = Promise.withResolvers<{ ok: boolean; text: string }>();
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.on("error", ({ message }) => resolve({ ok: false, text: message }));
  child.on("close", (code) => resolve({ ok: code === 0, text: said.trim() }));
  return { result: promise, stop: () => void child.kill("SIGTERM") };
}
