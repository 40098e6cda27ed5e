// Finds the gateway that a command calls: from a flag, the environment, the sandbox running in this folder, or `gateway login`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AccountClient, accountEventTypes, ConnectionClient, connectionEventTypes, type Events } from "@gateway/sdk";
import type { Scheme } from "./forwarding/signing.ts";
import { type Flags, type Io, textFlag, UsageError } from "./command.ts";
import { storedLogin } from "./login-file.ts";

/** The parts of `.sandbox/ready.json` that commands use. */
type Sandbox = {
  app_url: string;
  network_url: string | null;
  demo: { api_key: string; connection: { phone: string | null; api_key: string } };
};

export type Target = { baseUrl: string; apiKey: string; gateway: ConnectionClient; sandbox: Sandbox | null };
type Env = Pick<Io, "env">;
type TargetSources = { baseUrl: string | null; apiKey: string | null; sandbox: Sandbox | null };

export function targetOf(flags: Flags, io: Env): Target {
  const { baseUrl, apiKey, sandbox } = found(flags, io);
  if (baseUrl === null) throw new UsageError("run gateway login, set GATEWAY_URL and GATEWAY_API_KEY, or start a sandbox in this folder");
  if (apiKey === null) throw new UsageError("run gateway login, or set GATEWAY_API_KEY: a key of the connection, from the dashboard");
  return { baseUrl, apiKey, gateway: new ConnectionClient({ apiKey, baseUrl }), sandbox };
}

/** The key that the other commands would use, for commands that also work without one. */
export function keyOf(flags: Flags, io: Env): string | null {
  return found(flags, io).apiKey;
}

/** The events of one number, which is either the key's connection or an instance of the account. */
export type Source = {
  scheme: Scheme;
  baseUrl: string;
  apiKey: string;
  events: Pick<Events<unknown>, "listenRaw">;
  types: readonly string[];
};

export function sourceOf(flags: Flags, io: Env): Source {
  const instance = textFlag(flags, "instance");
  if (instance === undefined) {
    const { baseUrl, apiKey, gateway } = targetOf(flags, io);
    return { scheme: "connection", baseUrl, apiKey, events: gateway.events, types: connectionEventTypes };
  }
  const [{ baseUrl }, apiKey] = [found(flags, io), accountKeyOf(flags, io)];
  if (baseUrl === null || apiKey === null) throw new UsageError("--instance needs an account key: set GATEWAY_URL and GATEWAY_API_KEY");
  const { events } = new AccountClient({ apiKey, baseUrl }).instance(instance);
  return { scheme: "account", baseUrl, apiKey, events, types: accountEventTypes };
}

/** `gateway login` stores only connection keys, so the account key comes from a flag or the environment. */
export function accountKeyOf(flags: Flags, io: Env): string | null {
  return io.env["GATEWAY_API_KEY"] ?? found(flags, io).sandbox?.demo.api_key ?? null;
}

/** A stored key is used only for the gateway that it was stored for. */
function found(flags: Flags, io: Env): TargetSources {
  const sandbox = sandboxIn(io.env["GATEWAY_SANDBOX"] ?? ".sandbox");
  const login = storedLogin(io);
  const baseUrl = textFlag(flags, "url") ?? io.env["GATEWAY_URL"] ?? sandbox?.app_url ?? login?.url ?? null;
  if (baseUrl !== null && !URL.canParse(baseUrl)) throw new UsageError(`${baseUrl} is not a URL`);
  const isAt = (url: string | undefined): boolean =>
    url !== undefined && baseUrl !== null && new URL(url).origin === new URL(baseUrl).origin;
  const own = isAt(sandbox?.app_url) ? sandbox : null;
  const stored = isAt(login?.url) ? login?.api_key : undefined;
  const given = io.env["GATEWAY_API_KEY"];
  const apiKey = given === "" ? null : (given ?? own?.demo.connection.api_key ?? stored ?? null);
  return { baseUrl, apiKey, sandbox: own };
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
