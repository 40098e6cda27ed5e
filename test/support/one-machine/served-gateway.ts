// `npm run serve` for one test file, with its own port and data folder.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "#root/server/ports.ts";
import { ask } from "../clients.ts";
import { eventually } from "../eventually.ts";
import { leftOf, processTree } from "../process-tree.ts";
import { ok } from "../replies.ts";

export const SERVE = fileURLToPath(new URL("../../../server/start.mjs", import.meta.url));
const START_WITHIN_MS = 240_000;
const PASSWORD = "a password of ten";
const ADMIN = "admin@gateway.local";

export type ServedGateway = {
  url: string;
  /** Its data folder. */
  data: string;
  backups: string;
  /** Everything printed since the last start. */
  output(): string;
  start(): Promise<void>;
  /** Starts the gateway and waits until it exits by itself. */
  refusedStart(): { status: number | null; stdout: string; stderr: string };
  /** Resolves to the exit code, or null after a signal. */
  stop(): Promise<number | null>;
  /** Sends the signal to the host alone, and waits until none of its processes is left. */
  end(signal: NodeJS.Signals): Promise<void>;
  processes(): { host: number; worker: number; bridge: number };
  /** Runs a program of `server` with the gateway's settings. */
  command(program: string, ...args: string[]): Promise<{ code: number | null; output: string }>;
  /** `kill -9` of every process at once, as a power failure does. */
  killAll(): Promise<void>;
  dispose(): Promise<void>;
};

/** `program`: another release's program. `prepare` fills the data folder before the first start. */
type Start = { program?: string; prepare?: (data: string) => Promise<void> };

export async function startServedGateway(
  settings: Readonly<Record<string, string>>,
  { program: serve = SERVE, prepare }: Start = {},
): Promise<ServedGateway> {
  const directory = mkdtempSync(join(tmpdir(), "one-machine-"));
  const port = (await freePort(0)) ?? 0;
  const [data, backups] = [join(directory, "data"), join(directory, "backups")];
  const node = (program: string, ...args: string[]) => ["--disable-warning=ExperimentalWarning", program, ...args];
  const env = { ...process.env, PORT: String(port), DATA_DIR: data, BACKUP_DIR: backups, ...settings };
  await prepare?.(data);
  let lines: string[] = [];
  let child: ChildProcess;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const gateway: ServedGateway = {
    url: `http://localhost:${port}`,
    data,
    backups,
    output: () => lines.join(""),
    async start() {
      lines = [];
      child = spawn(process.execPath, node(serve), {
        cwd: directory,
        stdio: ["ignore", "pipe", "pipe"],
        env,
      });
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
      await eventually("the gateway is ready", START_WITHIN_MS, () => {
        if (hasEnded()) throw new Error(`the gateway ended (${child.exitCode}):\n${gateway.output().slice(-4_000)}`);
        return gateway.output().includes('"event":"host.ready"');
      });
    },
    refusedStart: () => spawnSync(process.execPath, node(serve), { cwd: directory, env, encoding: "utf8" }),
    async stop() {
      if (!hasEnded()) {
        const gone = once(child, "close");
        child.kill("SIGTERM");
        await gone;
      }
      return child.exitCode;
    },
    async end(signal) {
      const gone = once(child, "exit");
      const tree = processTree(child.pid ?? 0);
      child.kill(signal);
      await gone;
      await eventually("no process is left", START_WITHIN_MS, () => leftOf(tree).length === 0);
    },
    processes() {
      const held = JSON.parse(readFileSync(join(data, "serve.pid"), "utf8")) as { pid: number; groups: number[] };
      const [worker = 0, bridge = 0] = held.groups;
      return { host: held.pid, worker, bridge };
    },
    async command(program, ...args) {
      const file = fileURLToPath(new URL(`../../../server/${program}`, import.meta.url));
      const running = spawn(process.execPath, node(file, ...args), { cwd: directory, env });
      const printed: string[] = [];
      for (const stream of [running.stdout, running.stderr]) stream.on("data", (chunk: Buffer) => printed.push(chunk.toString()));
      await once(running, "close");
      return { code: running.exitCode, output: printed.join("") };
    },
    async killAll() {
      const gone = once(child, "exit");
      const tree = processTree(child.pid ?? 0);
      for (const { pid } of tree) process.kill(pid, "SIGKILL");
      await gone;
      await eventually("no process is left", START_WITHIN_MS, () => leftOf(tree).length === 0);
    },
    async dispose() {
      await gateway.stop();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await gateway.start();
  return gateway;
}

/** Follows the link that the first start prints, and signs in. Returns calls as this administrator. */
export async function firstAdministrator(gateway: ServedGateway) {
  const [link = ""] = /\S+\/set-password\?token=\S+/.exec(gateway.output()) ?? [];
  const token = new URL(link).searchParams.get("token") ?? "";
  await ok(ask(`${gateway.url}/api/auth/reset-password`, { headers: { origin: gateway.url }, json: { token, newPassword: PASSWORD } }));
  return administrator(gateway);
}

/** Signs in an administrator who already has a password. */
export async function administrator(gateway: ServedGateway) {
  const headers = { origin: gateway.url };
  const signedIn = await ask(`${gateway.url}/api/auth/sign-in/email`, { headers, json: { email: ADMIN, password: PASSWORD } });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");
  const bearer = await ok(ask<{ token: string }>(`${gateway.url}/api/auth/token`, { headers: { ...headers, cookie } }));
  const authorization = `Bearer ${bearer.token}`;
  const calls = (base: string) => (method: string, path: string, json?: unknown) =>
    ask(`${gateway.url}${base}${path}`, { method, headers: { authorization }, ...(json === undefined ? {} : { json }) });
  return { token: bearer.token, dashboard: calls("/api/dashboard"), account: calls("/api") };
}
