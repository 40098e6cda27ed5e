// The SDK stays small in a customer's bundle. A new operation adds about 50 bytes, and 10 compressed.
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";

function size(code: string): { minified: number; gzip: number } {
  const { outputFiles } = buildSync({
    stdin: { contents: code, resolveDir: "packages/cli" },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    write: false,
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
}

it.each([
  {
    part: "both clients and the webhooks",
    code: 'export * from "@gateway/sdk"; export * from "@gateway/sdk/webhooks";',
    most: [24_000, 8_448],
  },
  { part: "the Connection API's client", code: 'export { ConnectionClient } from "@gateway/sdk";', most: [16_000, 6_100] },
  { part: "one API's webhooks", code: 'export { verifyConnectionWebhook } from "@gateway/sdk/webhooks";', most: [2_000, 1_280] },
])("the SDK bundle stays within its size: $part", ({ part, code, most: [minified = 0, gzip = 0] }) => {
  const found = size(code);
  console.log(`SDK bundle, ${part}: ${found.minified} bytes minified, ${found.gzip} gzip`);
  expect(found.minified).toBeLessThanOrEqual(minified);
  expect(found.gzip).toBeLessThanOrEqual(gzip);
});
