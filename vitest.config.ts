import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const node = (name: string, timeout: number) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], environment: "node", testTimeout: timeout, hookTimeout: timeout },
});

/** Four worlds: pure code, workerd, the bridge against the test network, and the whole sandbox. */
export default defineConfig(async () => ({
  test: {
    projects: [
      node("domain", 10_000),
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./test/support/wrangler.test.toml" },
            miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations("migrations") } },
          }),
        ],
        test: {
          name: "worker",
          include: ["test/worker/**/*.test.ts"],
          setupFiles: ["./test/support/migrate.ts"],
          testTimeout: 30_000,
          deps: { optimizer: { ssr: { enabled: true, include: ["itty-durable"] } } },
        },
      },
      node("bridge", 60_000),
      node("journey", 300_000),
    ],
    fileParallelism: false,
    reporters: ["default", "./test/support/closing-line.ts"],
  },
}));
