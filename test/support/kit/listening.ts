// Starts and kills the listening program, and judges what it printed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { PYTHON_ENV } from "./python.ts";

const PROGRAMS = {
  typescript: {
    command: process.execPath,
    args: ["--disable-warning=ExperimentalWarning"],
    file: new URL("listening-process.ts", import.meta.url),
  },
  python: { command: "python3", args: [], file: new URL("listening_process.py", import.meta.url) },
} as const;

type Options = { baseUrl: string; key: string; checkpoint: string; language?: keyof typeof PROGRAMS };
type Line = { id?: string; text?: string; gap?: number | null; state?: string };

export class Listening {
  readonly #options: Options;
  #text = "";
  #child: ChildProcess | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    const { baseUrl, key, checkpoint, language = "typescript" } = this.#options;
    const { command, args, file } = PROGRAMS[language];
    const child = spawn(command, [...args, fileURLToPath(file), baseUrl, checkpoint], {
      env: { ...process.env, ...PYTHON_ENV, GATEWAY_API_KEY: key },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout?.on("data", (chunk: Buffer) => (this.#text += chunk.toString()));
    this.#child = child;
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  }

  lines(): Line[] {
    return this.#text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  }

  count(state: string): number {
    return this.lines().filter((line) => line.state === state).length;
  }

  /** The texts in order without repeated events, and how many were repeated. */
  received(): { texts: (string | undefined)[]; repeated: number; gaps: number } {
    const events = this.lines().filter(({ id }) => id !== undefined);
    const first = events.filter(({ id }, at) => events.findIndex((other) => other.id === id) === at);
    return {
      texts: first.map(({ text }) => text),
      repeated: events.length - first.length,
      gaps: this.lines().filter(({ gap }) => gap !== undefined).length,
    };
  }
}
