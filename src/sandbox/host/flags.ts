// The sandbox's command line (the contract of `npm start`).
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export type Flags = {
  port: number;
  networkPort: number;
  /** Absolute. */
  state: string;
  readyFile: string | null;
  fresh: boolean;
  strict: boolean;
  noLimits: boolean;
  live: boolean;
};

export const USAGE =
  "npm start -- [--port 8787] [--network-port 8790] [--state .sandbox] [--ready-file FILE] [--fresh] [--strict] [--no-limits] [--live]";

/** The flags, or one sentence about what is wrong with them. */
export function readFlags(args: readonly string[]): { ok: true; flags: Flags } | { ok: false; problem: string } {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "8787" },
        "network-port": { type: "string", default: "8790" },
        state: { type: "string", default: ".sandbox" },
        "ready-file": { type: "string" },
        fresh: { type: "boolean", default: false },
        strict: { type: "boolean", default: false },
        "no-limits": { type: "boolean", default: false },
        live: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    return { ok: false, problem: firstSentence(error) };
  }
  const port = portNumber(values.port);
  const networkPort = portNumber(values["network-port"]);
  if (port === null) return { ok: false, problem: `--port wants a number from 0 to 65535, not "${values.port}"` };
  if (networkPort === null) return { ok: false, problem: `--network-port wants a number from 0 to 65535, not "${values["network-port"]}"` };
  if (port !== 0 && port === networkPort) return { ok: false, problem: "--port and --network-port must differ" };
  return {
    ok: true,
    flags: {
      port,
      networkPort,
      state: resolve(values.state),
      readyFile: values["ready-file"] === undefined ? null : resolve(values["ready-file"]),
      fresh: values.fresh,
      strict: values.strict,
      noLimits: values["no-limits"],
      live: values.live,
    },
  };
}

function portNumber(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

function firstSentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split(/\. |\n/)[0] ?? text;
}
