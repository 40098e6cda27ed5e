// Reads `gateway.env`. Both the gateway and the commands that work on its data use it.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { unusableMessage } from "./files.ts";
import { readServeSettings } from "./settings.ts";

export function readSettings(): ReturnType<typeof readServeSettings> {
  const file = resolve(process.env["GATEWAY_ENV"] ?? "gateway.env");
  try {
    return readServeSettings(existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {}, process.env);
  } catch (error) {
    return { ok: false, problem: `GATEWAY_ENV: ${unusableMessage(file, error)}` };
  }
}
