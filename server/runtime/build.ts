// Builds everything that the first start would build, for an image whose file system is read-only (deploy/Dockerfile).
import { preparedWorker, WORKERS } from "./prepared-worker.ts";

// This is plain JavaScript, because wrangler runs it too.
const BUILD_ASSETS = new URL("../../tools/build-assets.mjs", import.meta.url).href;

try {
  const { buildAssets } = (await import(BUILD_ASSETS)) as { buildAssets: () => Promise<void> };
  await buildAssets();
  const { script } = await preparedWorker(WORKERS.production);
  await preparedWorker(WORKERS.moving);
  process.stdout.write(`the worker has ${Math.round(script.length / 1_024)} KiB\n`);
} catch (error) {
  process.stderr.write(`the gateway could not be built: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
