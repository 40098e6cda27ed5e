// Node's compile cache, for the processes that tests start. It also keeps modules without their types.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const COMPILE_CACHE = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url));
/** Contains the version, because each version of Node has its own cache. */
const HAS_BRIDGE = `${COMPILE_CACHE}/has-bridge-${process.version}`;

/**
 * Global setup for the bridge project. Only a process that exits by itself writes the cache, and the tests kill most bridges. In a new
 * clone, each bridge would compile all its modules again.
 */
export default async function setup(): Promise<void> {
  if (existsSync(HAS_BRIDGE)) return;
  const loaded = ["session-bridge/run.ts", "test-network/start-with-phones.ts"].map((file) => `await import("./${file}");`);
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", `${loaded.join(" ")} process.exit();`], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
  });
  mkdirSync(COMPILE_CACHE, { recursive: true });
  writeFileSync(HAS_BRIDGE, "");
}
