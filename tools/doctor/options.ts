import { parseArgs } from "node:util";
import { z } from "zod";

export const HELP = `npm run doctor -- URL: checks a deployment from outside and says what is wrong and what to do (docs/operate/doctor.md).

  URL                    where the gateway is reached, https://…
  --key-file FILE        holds an account key with the scope admin; otherwise the variable DOCTOR_KEY does

It prints one line if the deployment is healthy (exit code 0), otherwise one line for each problem (1). Wrong arguments: 2.`;

const KEY = /^acc_[\w-]{43}$/;

export type Given = { url: string; key: string };
export type ReadOptions = { ok: true; given: Given | null } | { ok: false; problem: string };

/** `given` is null if help was requested. `readFile` throws if the file does not exist. */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: (file: string) => string,
): ReadOptions {
  const bad = (problem: string): ReadOptions => ({ ok: false, problem });
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: { "key-file": { type: "string" }, help: { type: "boolean" } }, allowPositionals: true });
  } catch (error) {
    return bad(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  if (values.help === true) return { ok: true, given: null };
  const [url, ...rest] = positionals;
  if (url === undefined || rest.length > 0) return bad("name one URL");
  if (!z.url({ protocol: /^https$/ }).safeParse(url).success || !/^\/?$/.test(new URL(url).pathname)) {
    return bad(`${url} is not https://, a name, and nothing behind it`);
  }
  const file = values["key-file"];
  let key = env["DOCTOR_KEY"] ?? "";
  try {
    if (file !== undefined) key = readFile(file);
  } catch {
    return bad(`${file} cannot be read`);
  }
  // The value is omitted, because it may be another secret.
  if (!KEY.test(key.trim())) return bad(`${file ?? "DOCTOR_KEY"} holds no account key (acc_…)`);
  return { ok: true, given: { url: new URL(url).origin, key: key.trim() } };
}
