// `npm start` is ended through npm: whoever starts it in the background knows npm's process id only.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-stop-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

it.each(["SIGINT", "SIGTERM"] as const)("stops everything when npm is sent %s", async (signal) => {
  const flags = ["--port", "0", "--network-port", "0", "--state", join(directory, signal)];
  const npm = spawn("npm", ["start", "--", ...flags], { cwd: ROOT, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  // The sandbox writes to the same pipe: it is closed once npm and the sandbox have both ended.
  const closed = once(npm, "close");
  const running = new Promise<void>((resolve) => {
    npm.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("the worker runs")) resolve();
    });
  });
  await Promise.race([running, closed]);
  npm.kill(signal);
  await closed;
  expect(output).toMatch(/^stopping$/m);
});
