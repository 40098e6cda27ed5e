// Runs the guides' code as a reader would: in its own process, with the key in the environment.
import { execFile } from "node:child_process";
import { createInterface } from "node:readline";
import { type Api, snippet } from "#root/src/guides/guides.ts";

const WITHIN_MS = 60_000;

export type RunSnippet = {
  api: Api;
  url: string;
  env: Record<string, string>;
  /** The guide's sample values and their real values in the test. */
  real?: Readonly<Record<string, string>>;
};

function codeOf({ api, url, real = {} }: RunSnippet, name: string, language: "sh" | "js"): string {
  const code = snippet(api, name, language, url);
  if (code === null) throw new Error(`there is no snippet ${api}/${name}.${language}`);
  return Object.entries(real).reduce((text, [sample, value]) => text.replaceAll(sample, value), code);
}

type RunOptions = { env: Record<string, string>; cwd?: string; onLine?: (line: string) => void };

function run(command: string, args: readonly string[], { env, cwd, onLine }: RunOptions): Promise<string> {
  const { PATH = "" } = process.env;
  return new Promise((resolve, reject) => {
    const options = { env: { PATH, ...env }, timeout: WITHIN_MS, ...(cwd === undefined ? {} : { cwd }) };
    const child = execFile(command, args, options, (error, stdout, stderr) =>
      error === null ? resolve(stdout.trim()) : reject(new Error(`${error.message}\n${stderr}`)),
    );
    if (onLine !== undefined && child.stdout !== null) createInterface(child.stdout).on("line", onLine);
  });
}

/** The snippet that a reader runs as it stands. */
export const FIRST = "first-message";

/** Runs a snippet's JavaScript after `client`'s. Returns its output, and passes each line to `onLine` as it is printed. */
export function runJavaScript(setting: RunSnippet, name: string, onLine?: (line: string) => void): Promise<string> {
  const own = codeOf(setting, name, "js");
  const code = name === FIRST ? own : `${codeOf(setting, "client", "js")}\n${own}`;
  return run(process.execPath, ["--input-type=module", "--eval", code], { env: setting.env, ...(onLine === undefined ? {} : { onLine }) });
}

/** A snippet's curl commands, for `parseCurl`. */
export function curlCommands(setting: RunSnippet, name: string): string[] {
  return codeOf(setting, name, "sh")
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => line.startsWith("curl "));
}

/** Runs a snippet's shell code in a folder and returns its output. */
export function runShell(setting: RunSnippet, name: string, folder: string): Promise<string> {
  return run("bash", ["-c", codeOf(setting, name, "sh")], { env: setting.env, cwd: folder });
}

/** Imports a snippet as a module. */
export async function importJavaScript<T>(api: Api, name: string): Promise<T> {
  const code = snippet(api, name, "js", "https://unused.example.com");
  return (await import(`data:text/javascript,${encodeURIComponent(code ?? "")}`)) as T;
}
