// The measured bridge in its own process, with counters summed over its restarts.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../../server/ports.ts";
import type { Whereabouts } from "../../test/support/bridge/baileys-client.ts";
import { bridgeSettings } from "../../test/support/bridge/bridge-process.ts";
import { eventually } from "../../test/support/eventually.ts";
import { Inspector } from "./inspector.ts";

const MAIN = fileURLToPath(new URL("../../session-bridge/main.ts", import.meta.url));
const FAST_WAITS = new URL("./fast-waits.ts", import.meta.url).href;
const START_TIMEOUT_MS = 300_000;

export type Counters = Map<string, number>;
type Running = { child: ChildProcess; port: number; inspector: Inspector };

export class MeasuredBridge {
  readonly #settings: Record<string, string>;
  #running: Running | null = null;
  /** Counters of killed processes. */
  readonly #past: Counters = new Map();
  /** Warnings and errors in the log, with their counts. */
  readonly warnings: Counters = new Map();

  constructor(gatewayUrl: string, where: Whereabouts, sessions: number, factor: number) {
    this.#settings = {
      ...bridgeSettings(gatewayUrl, where),
      BRIDGE_CAPACITY: String(sessions),
      SOAK_FACTOR: String(factor),
      PATH: process.env["PATH"] ?? "",
    };
  }

  get inspector(): Inspector {
    return this.#now.inspector;
  }

  async start(): Promise<void> {
    const port = (await freePort(0)) ?? 0;
    const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", "--import", FAST_WAITS, MAIN], {
      env: { ...this.#settings, BRIDGE_HEALTH_PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    createInterface({ input: child.stderr }).on("line", (line) => (said += `${line}\n`));
    createInterface({ input: child.stdout }).on("line", (line) => this.#note(line));
    const url = await eventually("the debugger of the bridge", START_TIMEOUT_MS, () => /ws:\/\/\S+/.exec(said)?.[0]);
    this.#running = { child, port, inspector: await Inspector.open(url) };
    await eventually("the bridge answers", START_TIMEOUT_MS, () => {
      if (child.exitCode !== null) throw new Error(`the bridge ended: ${said}`);
      return this.health().catch(() => null);
    });
  }

  /** Kills the bridge with `kill -9`, and keeps its counters. */
  async kill(): Promise<void> {
    if (this.#now.child.exitCode !== null) throw new Error(`the bridge has ended by itself, with ${this.#now.child.exitCode}`);
    add(this.#past, await this.scrape());
    await this.end();
  }

  async end(): Promise<void> {
    const child = this.#running?.child;
    this.#running = null;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  async health(): Promise<{ sessions: number; connected: number }> {
    return JSON.parse(await this.#read("health")) as { sessions: number; connected: number };
  }

  /** Counters by name and labels, over all restarts. */
  async counters(): Promise<Counters> {
    return add(new Map(this.#past), await this.scrape());
  }

  /** Counters of the running process. */
  async scrape(): Promise<Counters> {
    const text = await this.#read("metrics");
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]));
  }

  /** Retries, because a kept-alive connection may close just as it is reused. */
  async #read(path: string, tries = 3): Promise<string> {
    try {
      return await (await fetch(`http://127.0.0.1:${this.#now.port}/${path}`)).text();
    } catch (error) {
      if (tries === 1) throw error;
      return this.#read(path, tries - 1);
    }
  }

  get #now(): Running {
    if (this.#running === null) throw new Error("the bridge does not run");
    return this.#running;
  }

  #note(line: string): void {
    const { level, event } = JSON.parse(line) as { level: string; event: string };
    if (level === "warn" || level === "error") add(this.warnings, new Map([[`${level} ${event}`, 1]]));
  }
}

function add(to: Counters, more: Counters): Counters {
  for (const [name, value] of more) to.set(name, (to.get(name) ?? 0) + value);
  return to;
}
