import { resolve } from "node:path";
import { parseArgs, type ParseArgsOptionDescriptor } from "node:util";

export type Flags = {
  port: number;
  networkPort: number;
  state: string;
  readyFile: string | null;
  fresh: boolean;
  strict: boolean;
  strictNetwork: boolean;
  noLimits: boolean;
  live: boolean;
  proxyCheckSeconds: number;
  verbose: boolean;
};

/** The flags in the order of `--help`: their name, value and meaning. */
const ABOUT = {
  port: ["N", "port of the gateway (8787); 0: a free one"],
  "network-port": ["N", "port of the simulated phones (8790); 0: a free one"],
  state: ["DIR", "directory of state and logs (.sandbox)"],
  "ready-file": ["FILE", "JSON file to write once everything is ready"],
  fresh: ["", "empty DIR first"],
  strict: ["", "production rules for webhook and media URLs"],
  "strict-network": ["", "a strict network for the simulated phones"],
  "no-limits": ["", "no burst and repeated-read limits, for load tests"],
  "proxy-checks": ["SECONDS", "how often proxies are checked (60)"],
  live: ["", "no simulated phones: pair a real one"],
  verbose: ["", "print the logs, which are also in DIR/logs"],
  help: ["", "this list"],
} as const;

const HELP_HINT = "npm start -- --help lists the options";

export const HELP = [
  "npm start -- [options]: runs the whole gateway with simulated phones.",
  "",
  ...Object.entries(ABOUT).map(([name, [value, meaning]]) => `  ${`--${name} ${value}`.padEnd(24)}${meaning}`),
].join("\n");

type ReadFlags = { ok: true; flags: Flags } | { ok: false; help: true } | { ok: false; help: false; problem: string };

/** Returns the flags, `help`, or an error message. */
export function readFlags(args: readonly string[]): ReadFlags {
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
        "strict-network": { type: "boolean", default: false },
        "no-limits": { type: "boolean", default: false },
        "proxy-checks": { type: "string", default: "60" },
        live: { type: "boolean", default: false },
        verbose: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      } satisfies Record<keyof typeof ABOUT, ParseArgsOptionDescriptor>,
    }));
  } catch (error) {
    return refused(firstSentence(error));
  }
  if (values.help) return { ok: false, help: true };
  const port = portNumber(values.port);
  const networkPort = portNumber(values["network-port"]);
  if (port === null) return refused(`--port wants a number from 0 to 65535, not "${values.port}"`);
  if (networkPort === null) return refused(`--network-port wants a number from 0 to 65535, not "${values["network-port"]}"`);
  if (port !== 0 && port === networkPort) return refused("--port and --network-port must differ");
  if (!/^[1-9]\d{0,3}$/.test(values["proxy-checks"]))
    return refused(`--proxy-checks wants a number from 1 to 9999, not "${values["proxy-checks"]}"`);
  return {
    ok: true,
    flags: {
      port,
      networkPort,
      state: resolve(values.state),
      readyFile: values["ready-file"] === undefined ? null : resolve(values["ready-file"]),
      fresh: values.fresh,
      strict: values.strict,
      strictNetwork: values["strict-network"],
      noLimits: values["no-limits"],
      proxyCheckSeconds: Number(values["proxy-checks"]),
      live: values.live,
      verbose: values.verbose,
    },
  };
}

function refused(problem: string): ReadFlags {
  return { ok: false, help: false, problem: `${problem}; ${HELP_HINT}` };
}

function portNumber(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

function firstSentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split(/\. |\n/)[0] ?? text;
}
