// Runs the built command `gateway`.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { eventually } from "../eventually.ts";

const WITHIN_MS = 120_000;

export type Run = { code: number | null; out: string; err: string };

export class Cli {
  readonly #bin: string;
  readonly #env: NodeJS.ProcessEnv;

  /** Builds the command into `folder`. `env`: replaces GATEWAY_… of the test run. */
  constructor(folder: string, env: NodeJS.ProcessEnv) {
    execFileSync("npm", ["run", "--silent", "cli:build", "--", folder]);
    this.#bin = join(folder, "gateway.js");
    this.#env = { PATH: process.env["PATH"], HOME: folder, ...env };
  }

  start(...args: string[]): Started {
    return new Started(spawn(process.execPath, [this.#bin, ...args], { env: this.#env, stdio: ["ignore", "pipe", "pipe"] }));
  }

  run(...args: string[]): Promise<Run> {
    return this.start(...args).ended();
  }

  /** Runs a command that reads `input`, outside of any sandbox. */
  runWith(input: string, ...args: string[]): Promise<Run> {
    const env = { ...this.#env, GATEWAY_SANDBOX: "/nowhere" };
    const child = spawn(process.execPath, [this.#bin, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.end(input);
    return new Started(child).ended();
  }
}

export class Started {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #out = "";
  #err = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#closed = once(child, "close");
    child.stdout?.on("data", (chunk: Buffer) => (this.#out += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (this.#err += chunk.toString()));
  }

  /** Standard output so far. */
  get out(): string {
    return this.#out;
  }

  async ended(): Promise<Run> {
    await this.#closed;
    return { code: this.#child.exitCode, out: this.#out, err: this.#err };
  }

  async shows(text: string | RegExp): Promise<void> {
    await eventually(`the command shows ${String(text)}`, WITHIN_MS, () => {
      if (this.#child.exitCode !== null && this.#out.search(text) === -1) throw new Error(`ended: ${this.#out}${this.#err}`);
      return this.#out.search(text) !== -1;
    });
  }

  /** `kill -9`. */
  async kill(): Promise<Run> {
    this.#child.kill("SIGKILL");
    return this.ended();
  }
}
