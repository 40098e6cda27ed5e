// Starts and kills the listening program, and judges what it printed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("listening-process.ts", import.meta.url));

type Line = { id?: string; text?: string; gap?: number | null; state?: string };

export class Listening {
  readonly #options: { baseUrl: string; key: string; checkpoint: string };
  #text = "";
  #child: ChildProcess | null = null;

  constructor(options: { baseUrl: string; key: string; checkpoint: string }) {
    this.#options = options;
  }

  start(): void {
    const { baseUrl, key, checkpoint } = this.#options;
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", PROGRAM, baseUrl, checkpoint], {
      env: { ...process.env, GATEWAY_API_KEY: key },
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
