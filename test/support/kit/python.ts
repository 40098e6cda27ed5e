// The Python client in packages/python.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../../../packages/python/", import.meta.url));
const OLDEST = [3, 9];

/** Why the Python client cannot run here, or null. */
export function pythonIsMissing(): string | null {
  const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(*sys.version_info[:2])"], { encoding: "utf8" });
  if (status !== 0) return "there is no python3";
  const [major = 0, minor = 0] = stdout.trim().split(" ").map(Number);
  return major === OLDEST[0] && minor >= (OLDEST[1] ?? 0) ? null : `python3 is ${major}.${minor}, older than ${OLDEST.join(".")}`;
}

export const PYTHON_ENV: NodeJS.ProcessEnv = { PYTHONPATH: `${PACKAGE}src`, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" };

export type PythonRun = { code: number | null; out: string; err: string };

/** Runs python3 in the tests' folder with the package on its path. */
export function python(args: readonly string[], { input = "", env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}): PythonRun {
  const { status, stdout, stderr } = spawnSync("python3", args, {
    cwd: `${PACKAGE}tests`,
    input,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env["PATH"], ...PYTHON_ENV, ...env },
  });
  return { code: status, out: stdout, err: stderr };
}
