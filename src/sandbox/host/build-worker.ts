// Bundles the sandbox's worker as wrangler would bundle the production one.
import { build, stop } from "esbuild";
import { fileURLToPath } from "node:url";

const ENTRY = fileURLToPath(new URL("../worker.ts", import.meta.url));

/** The bundle's text. Throws with esbuild's own report when the code does not build. */
export async function buildWorker(): Promise<string> {
  const result = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser", "import"],
    external: ["cloudflare:*", "node:*"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  // Its service would stay for as long as we do, with 150 MB.
  await stop();
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error("the worker's bundle is empty");
  return file.text;
}
