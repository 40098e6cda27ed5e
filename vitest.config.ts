import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** So many files at a time, one world after the other. */
const turn = (order: number, files: number) => ({ maxWorkers: files, sequence: { groupOrder: order } });

const PATIENT_WAITS = "./test/support/patient-waits.ts";
const WATCH_ANSWERS = "./test/support/contract/watch-answers.ts";

/** Limits fit a machine five times slower: a test that hangs is rare, one that was only slow must not fail. */
const node = (name: string, timeout: number, when: ReturnType<typeof turn>, setupFiles: string[] = [], globalSetup: string[] = []) => ({
  test: {
    name,
    setupFiles: [PATIENT_WAITS, ...setupFiles],
    globalSetup,
    include: [`test/${name}/**/*.test.ts`],
    environment: "node" as const,
    // Pure code leaves nothing behind.
    isolate: name !== "domain",
    testTimeout: timeout,
    hookTimeout: timeout,
    expect: { poll: { timeout: 60_000 } },
    ...when,
  },
});

/** Worlds: pure code, storms in virtual time, workerd, the bridge against the test network, and the whole sandbox. */
export default defineConfig(async () => ({
  test: {
    projects: [
      node("domain", 150_000, turn(1, 2)),
      node("contract", 150_000, turn(1, 2)),
      node("scale", 300_000, turn(1, 2)),
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
          // One workerd for each of the two: to start it and load the app again took longer than most files.
          isolate: false,
          setupFiles: ["./test/support/migrate.ts", "./test/support/scan-bodies.ts", PATIENT_WAITS, WATCH_ANSWERS],
          testTimeout: 150_000,
          hookTimeout: 150_000,
          ...turn(2, 2),
          deps: { optimizer: { ssr: { enabled: true, include: ["itty-durable"] } } },
        },
      },
      node("bridge", 300_000, turn(3, 2)),
      // They wait for processes most of the time.
      node("journey", 900_000, turn(4, 3), [WATCH_ANSWERS], ["./test/support/sandbox-pool.ts"]),
    ],
    silent: "passed-only" as const,
    reporters: ["default", "./test/support/closing-line.ts"],
  },
}));
