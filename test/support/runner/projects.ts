import { globSync, readFileSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { configDefaults, type Plugin, type ViteUserConfig } from "vitest/config";
import { COMPILE_CACHE } from "./compile-cache.ts";
import LongFilesFirst from "./long-files-first.ts";
import { keepTemporaryFilesInMemory } from "./temporary-files.ts";

const ENDURANCE = "**/*.endurance.test.ts";
const PATIENT_WAITS = "./test/support/patient-waits.ts";
const WATCH_ANSWERS = "./test/support/contract/watch-answers.ts";

/**
 * `quick` is `npm test`. `endurance` is `npm run test:endurance`: storms, soaks, random kills and full matrices. `promises` is `npm run
 * bench:promises`: it enforces the times that the other two only print.
 */
export type Tier = "quick" | "endurance" | "promises";

/** Journeys that also run against `npm run serve`, which has neither the sandbox's routes nor its settings. */
const SERVED = [
  "crashes/sends.test.ts",
  "idempotency.endurance.test.ts",
  "burst.endurance.test.ts",
  "egress.endurance.test.ts",
  "crashes/deliveries.endurance.test.ts",
];

function served() {
  const { test } = inNode("served", "endurance", { timeoutMs: 900_000, order: 5, workers: 2, setupFiles: [WATCH_ANSWERS] });
  return { test: { ...test, include: SERVED.map((file) => `test/journey/robustness/${file}`), env: { GATEWAY_TARGET: "serve" } } };
}

type Project = { timeoutMs: number; order: number; workers: number; setupFiles?: string[]; globalSetup?: string[]; native?: boolean };

/** Node loads the modules itself, without Vite's transformation, which would take a third of a short file's processor time. */
const NATIVE = { experimental: { viteModuleRunner: false } };

/** Tests of a promised time, recognized by their import of `promised-times.ts`. */
function filesWithPromises(name: string): string[] {
  return globSync(`test/${name}/**/*.test.ts`).filter((file) => readFileSync(file, "utf8").includes("/promised-times.ts"));
}

function filesOf(name: string, tier: Tier) {
  if (tier === "promises") return { include: [...filesWithPromises(name), ...(name === "journey" ? ["bench/promises/*.bench.ts"] : [])] };
  return tier === "endurance"
    ? { include: [`test/${name}/${ENDURANCE}`] }
    : { include: [`test/${name}/**/*.test.ts`], exclude: [...configDefaults.exclude, ENDURANCE] };
}

/**
 * Projects run one after another, so that none slows down another's waits. Three or four files in parallel keep two cores busy while tests
 * wait for clocks, sockets and processes.
 */
function turn({ order, workers }: Pick<Project, "order" | "workers">) {
  return { maxWorkers: workers, sequence: { groupOrder: order } };
}

/** The timeouts suit a machine five times slower: tests rarely hang, and slow ones must not fail. */
function inNode(name: string, tier: Tier, project: Project) {
  return {
    test: {
      name,
      environment: "node" as const,
      ...filesOf(name, tier),
      setupFiles: [PATIENT_WAITS, ...(project.setupFiles ?? [])],
      globalSetup: project.globalSetup ?? [],
      // Loading Baileys for each file would take more CPU time than most files themselves.
      isolate: false,
      testTimeout: project.timeoutMs,
      hookTimeout: project.timeoutMs,
      expect: { poll: { timeout: 120_000 } },
      ...(project.native ? NATIVE : {}),
      ...turn(project),
    },
  };
}

const PREBUNDLED = ["itty-durable"];

/** Part of the cache key, because cached modules import pre-bundles by a hash of their whole list. */
const keyedByPrebundles: Plugin = {
  name: "keyed-by-prebundles",
  configureVitest: ({ experimental_defineCacheKeyGenerator: defineKey }) => defineKey(() => PREBUNDLED.join()),
};

/**
 * Vitest sends each module with its source map to each workerd as text, and packages' maps are larger than their code. Only the frames of a
 * stack trace that lie in a package need them.
 */
const noMapsOfPackages: Plugin = {
  name: "no-maps-of-packages",
  enforce: "post",
  transform: { filter: { id: /\/node_modules\// }, handler: (code) => ({ code, map: { mappings: "" } }) },
};

/**
 * A password's hash takes 0.1 s of processor time, and the tests of sign-in limits compute more than a hundred. The journeys hash at full
 * cost.
 */
const cheapPasswords: Plugin = {
  name: "cheap-passwords",
  transform: {
    filter: { id: /\/@better-auth\/utils\/dist\/password/ },
    handler(code) {
      const cheap = code.replace("N: 16384,", "N: 16,");
      if (cheap === code) throw new Error("the cost of a password's hash is written in another way");
      return { code: cheap };
    },
  },
};

async function inWorkerd(tier: Tier) {
  return {
    plugins: [
      keyedByPrebundles,
      cheapPasswords,
      noMapsOfPackages,
      cloudflareTest({
        wrangler: { configPath: "./test/support/wrangler.test.toml" },
        miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations("migrations") } },
      }),
    ],
    test: {
      name: "worker",
      ...filesOf("worker", tier),
      // The files share one workerd per test runner: starting it and loading the worker takes longer than most files.
      isolate: false,
      setupFiles: [
        "./test/support/runner/unacknowledged-logs.ts",
        "./test/support/migrate.ts",
        "./test/support/scan-bodies.ts",
        PATIENT_WAITS,
        WATCH_ANSWERS,
      ],
      testTimeout: 150_000,
      hookTimeout: 150_000,
      ...turn({ order: 2, workers: 3 }),
      deps: { optimizer: { ssr: { enabled: true, include: PREBUNDLED } } },
    },
  };
}

/** The vitest configuration of one tier (test/README.md, "Quick and endurance"). */
export async function configuration(tier: Tier): Promise<ViteUserConfig> {
  const retry = tier === "endurance" ? 1 : 0;
  const judgesPromises = tier === "promises";
  // Promised times must hold on a real disk.
  if (!judgesPromises) keepTemporaryFilesInMemory();
  process.env["NODE_COMPILE_CACHE"] ??= COMPILE_CACHE;
  const projects = [
    inNode("domain", tier, { timeoutMs: 150_000, order: 1, workers: 3, native: true }),
    inNode("contract", tier, { timeoutMs: 150_000, order: 1, workers: 3, native: true }),
    inNode("scale", tier, { timeoutMs: 300_000, order: 1, workers: 3 }),
    await inWorkerd(tier),
    // The network and its two thousand messages run in the test's own process, so this project's endurance files run one at a time.
    inNode("bridge", tier, {
      timeoutMs: 300_000,
      order: 3,
      workers: tier === "endurance" ? 1 : 4,
      globalSetup: ["./test/support/runner/compile-cache.ts"],
    }),
    inNode("journey", tier, {
      timeoutMs: 900_000,
      order: 4,
      workers: 3,
      setupFiles: [WATCH_ANSWERS],
      globalSetup: ["./test/support/sandbox-pool.ts"],
    }),
    ...(tier === "endurance" ? [served()] : []),
  ];
  return {
    test: {
      projects: projects.map((project) => ({
        ...project,
        test: { ...project.test, retry, provide: { judgesPromises }, ...(judgesPromises ? { maxWorkers: 1 } : {}) },
      })),
      sequence: { sequencer: LongFilesFirst },
      // Caches transformed modules in node_modules, so that a single file starts sooner.
      experimental: { fsModuleCache: true },
      silent: judgesPromises ? false : "passed-only",
      reporters: ["default", "./test/support/runner/closing-line.ts"],
    },
  };
}
