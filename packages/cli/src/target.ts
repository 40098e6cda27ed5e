// Finds the gateway that a command calls, from the environment or from the sandbox that runs in this folder.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ConnectionClient } from "@gateway/sdk";
import { type Flags, type Io, textFlag, UsageError } from "./command.ts";

/** The parts of `.sandbox/ready.json` that commands use. */
type Sandbox = {
  app_url: string;
  network_url: string | null;
  demo: { connection: { phone: string | null; api_key: string }; contact: { phone: string } | null };
};

export type Target = { baseUrl: string; apiKey: string; gateway: ConnectionClient; sandbox: Sandbox | null };

export function targetOf(flags: Flags, { env }: Pick<Io, "env">): Target {
  const sandbox = sandboxIn(env["GATEWAY_SANDBOX"] ?? ".sandbox");
  const baseUrl = textFlag(flags, "url") ?? env["GATEWAY_URL"] ?? sandbox?.app_url;
  if (baseUrl === undefined)
    throw new UsageError("set GATEWAY_URL and GATEWAY_API_KEY, or start a sandbox in this folder with `npm start`");
  if (!URL.canParse(baseUrl)) throw new UsageError(`${baseUrl} is not a URL`);
  const own = sandbox !== null && new URL(sandbox.app_url).origin === new URL(baseUrl).origin ? sandbox : null;
  const apiKey = env["GATEWAY_API_KEY"] ?? own?.demo.connection.api_key;
  if (apiKey === undefined || apiKey === "") throw new UsageError("set GATEWAY_API_KEY: a key of the connection, from the dashboard");
  return { baseUrl, apiKey, gateway: new ConnectionClient({ apiKey, baseUrl }), sandbox: own };
}

function sandboxIn(folder: string): Sandbox | null {
  const file = join(folder, "ready.json");
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Sandbox;
  } catch {
    throw new UsageError(`${file} cannot be read: start the sandbox again`);
  }
}
