// The gateway and key that `gateway login` stored, in a file that only the user can read.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Io, UsageError } from "./command.ts";

export type Login = { url: string; api_key: string };
type Env = Pick<Io, "env">;

function folder({ env }: Env): string {
  return join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "gateway");
}

export function loginFile(io: Env): string {
  return join(folder(io), "login.json");
}

export function storedLogin(io: Env): Login | null {
  const file = loginFile(io);
  if (!existsSync(file)) return null;
  try {
    const { url, api_key } = JSON.parse(readFileSync(file, "utf8")) as Partial<Login>;
    if (typeof url === "string" && URL.canParse(url) && typeof api_key === "string" && api_key !== "") return { url, api_key };
  } catch {
    // The statement below reports the error.
  }
  throw new UsageError(`${file} cannot be read: run gateway login again, or gateway logout`);
}

/** Replaces the file atomically, so that a crash leaves either the old file or the new one. */
export function storeLogin(io: Env, login: Login): void {
  mkdirSync(folder(io), { recursive: true, mode: 0o700 });
  const next = `${loginFile(io)}.new`;
  writeFileSync(next, `${JSON.stringify(login)}\n`, { mode: 0o600 });
  // Sets the mode explicitly, because a file that already existed would keep its mode.
  chmodSync(next, 0o600);
  renameSync(next, loginFile(io));
}

/** Returns whether there was a stored login. */
export function removeLogin(io: Env): boolean {
  const had = existsSync(loginFile(io));
  rmSync(loginFile(io), { force: true });
  return had;
}
