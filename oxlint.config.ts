// Lint rules, and which folder may import what (src/README.md and durable-objects/README.md explain it).
import { defineConfig, type OxlintOverride } from "oxlint";

const HONO = ["hono", "hono/**"];
const DRIZZLE = ["drizzle-orm", "drizzle-orm/**"];
const PLATFORM = ["cloudflare:*"];
const IDENTITY = ["better-auth", "better-auth/**", "itty-*"];
const NODE_PROGRAMS = ["**/session-bridge/**", "**/test-network/**"];
const PROGRAMS = ["**/durable-objects/**", ...NODE_PROGRAMS];

type Pattern = { group: string[]; message: string; allowTypeImports?: true };

function restricted(files: string[], ...patterns: Pattern[]): OxlintOverride {
  return { files, rules: { "no-restricted-imports": ["error", { patterns }] } };
}

/** These files may import anything else. */
const mayNotImport = (files: string | string[], message: string, ...groups: string[][]): OxlintOverride =>
  restricted([files].flat(), { group: groups.flat(), message });

/** `except`: parts of `allowed` that stay forbidden. */
const mayOnlyImport = (files: string, message: string, allowed: string[], except: string[] = []): OxlintOverride =>
  restricted([files], { group: ["*", ...allowed.map((pattern) => `!${pattern}`), ...except], message });

const DOMAIN_PACKAGES = ["./**", "../**", "@gateway/protocol/**", "zod", "@noble/hashes/**"];
const OUTSIDE_DOMAIN = [
  "**/services/**",
  "**/db/**",
  "**/http/**",
  "**/docs/**",
  "**/api/**",
  "**/internal/**",
  "**/sandbox/**",
  "**/env.ts",
  "**/log.ts",
  "**/app.ts",
  ...PROGRAMS,
];

const OUTSIDE_HOST = [
  ...HONO,
  ...PLATFORM,
  "**/api/**",
  "**/services/**",
  "**/db/**",
  "**/http/**",
  "**/docs/**",
  "**/internal/**",
  ...PROGRAMS,
  "**/env.ts",
  "**/app.ts",
  "**/worker.ts",
];

const OUTSIDE_OBJECTS = [
  ...HONO,
  "@hono/**",
  "node:*",
  ...DRIZZLE,
  "**/src/**",
  "!**/src/protocol/**",
  "!**/src/tracing/**",
  "!**/src/domain/**",
  "!**/src/services/**",
  "!**/src/env.ts",
  "!**/src/log.ts",
  ...NODE_PROGRAMS,
];

const OUTSIDE_BRIDGE: Pattern = {
  group: [
    ...HONO,
    ...DRIZZLE,
    ...PLATFORM,
    ...IDENTITY,
    "@gateway/domain/**",
    "**/src/**",
    "!**/src/protocol/**",
    "!**/src/tracing/**",
    "**/durable-objects/**",
    "**/test-network/**",
  ],
  message: "The bridge imports src/protocol, src/tracing, node and its own packages.",
};

/** Each entry replaces the earlier ones for its files. */
const IMPORTS: OxlintOverride[] = [
  mayOnlyImport("src/protocol/**", "src/protocol imports only zod.", ["zod", "./**"]),
  mayOnlyImport("src/protocol/operations/**", "src/protocol imports only zod.", ["zod", "./**", "../**"], ["../../**"]),
  mayOnlyImport("src/domain/**", "The domain imports src/protocol, zod and @noble/hashes.", DOMAIN_PACKAGES, OUTSIDE_DOMAIN),
  mayOnlyImport(
    "src/domain/keys/**",
    "The domain imports src/protocol, zod and @noble/hashes; for keys also node:crypto, to compare in constant time.",
    [...DOMAIN_PACKAGES, "node:crypto"],
    OUTSIDE_DOMAIN,
  ),
  mayOnlyImport("src/domain/instance/qr-image.ts", "The QR code's renderer imports uqr and node:zlib.", ["uqr", "node:zlib"]),
  mayOnlyImport("src/tracing/**", "Worker, objects and bridge share the traces, so they import src/protocol and zod.", [
    "zod",
    "./**",
    "**/protocol/**",
    "node:async_hooks",
  ]),
  mayOnlyImport("src/db/**", "The tables import drizzle-orm and src/protocol.", ["./**", ...DRIZZLE, "**/protocol/**"]),
  mayNotImport(
    "src/services/**",
    "The services import no HTTP code and no API.",
    HONO,
    ["@hono/**", "**/http/**", "**/docs/**", "**/api/**", "**/internal/**", "**/sandbox/**"],
    PROGRAMS,
  ),
  mayNotImport(
    "src/http/**",
    "src/http imports services, domain, protocol and hono.",
    DRIZZLE,
    PLATFORM,
    ["**/db/**", "**/docs/**", "**/api/**", "**/internal/**", "**/sandbox/**"],
    PROGRAMS,
  ),
  mayNotImport(
    "src/docs/**",
    "The documentation imports http, the guides and the route tables of the two APIs.",
    DRIZZLE,
    PLATFORM,
    ["**/db/**", "**/services/**", "**/api/dashboard/**", "**/internal/**", "**/sandbox/**"],
    PROGRAMS,
  ),
  mayNotImport(
    "src/mcp/**",
    "MCP calls the Connection API like any caller, so it imports only http and env.",
    DRIZZLE,
    PLATFORM,
    ["**/db/**", "**/services/**", "**/api/**", "**/internal/**", "**/sandbox/**"],
    PROGRAMS,
  ),
  mayNotImport(
    "src/api/**",
    "The APIs import http, services, domain and protocol.",
    DRIZZLE,
    PLATFORM,
    ["**/db/**", "**/internal/**", "**/sandbox/**", "**/src/docs/**"],
    PROGRAMS,
  ),
  mayOnlyImport("src/api/dashboard/contract/**", "The dashboard takes its types from here: zod, protocol and domain.", [
    "zod",
    "./**",
    "**/protocol/**",
    "**/domain/**",
  ]),
  mayNotImport(
    "src/internal/**",
    "The internal routes import http, services, domain and protocol.",
    DRIZZLE,
    PLATFORM,
    ["**/db/**", "**/api/**", "**/sandbox/**", "**/src/docs/**"],
    PROGRAMS,
  ),
  mayNotImport("src/*.ts", "The production worker contains no sandbox, bridge or test network.", ["**/sandbox/**"], NODE_PROGRAMS),
  mayNotImport(
    "src/sandbox/**",
    "The sandbox imports services and object classes. It starts the bridge and the test network by path.",
    DRIZZLE,
    ["**/db/**", "**/docs/**", "**/api/**", "**/internal/**"],
    NODE_PROGRAMS,
  ),
  mayNotImport(
    "src/sandbox/host/**",
    "The sandbox's host runs on Node and imports the domain and its own packages. It starts the other programs by path.",
    OUTSIDE_HOST,
  ),
  mayNotImport(
    "server/**",
    "The host of one machine runs on Node and imports the domain, the settings and its own packages. It starts the others by path.",
    OUTSIDE_HOST,
    ["**/sandbox/**"],
  ),
  mayNotImport("durable-objects/**", "Objects import domain, protocol, services and tracing.", OUTSIDE_OBJECTS),
  mayNotImport(
    ["durable-objects/*.ts", "durable-objects/account-guard/**", "durable-objects/bridge-pool/**", "durable-objects/shared/**"],
    "Objects import domain, protocol, services and tracing. They share code through durable-objects/shared.",
    OUTSIDE_OBJECTS,
    ["**/connection/**"],
  ),
  restricted(["session-bridge/**"], OUTSIDE_BRIDGE),
  restricted(
    [
      "session-bridge/store/**",
      "session-bridge/gateway/**",
      "session-bridge/session.ts",
      "session-bridge/bridge.ts",
      "session-bridge/settings.ts",
    ],
    OUTSIDE_BRIDGE,
    {
      group: ["baileys", "baileys/**", "libsignal", "**/networks/baileys/**"],
      message: "The bridge may use the network library only through networks/network.ts.",
    },
  ),
  mayNotImport(
    "test-network/**",
    "The test network may import only src/protocol, the QR code's renderer, node, its own packages, and the bridge's patches of its libraries.",
    DRIZZLE,
    PLATFORM,
    IDENTITY,
    [
      "@gateway/domain/**",
      "!@gateway/domain/instance/qr-image.ts",
      "**/src/**",
      "!**/src/protocol/**",
      "**/durable-objects/**",
      "**/session-bridge/**",
      "!**/session-bridge/process/quiet-console.ts",
      "!**/session-bridge/process/keys-as-objects.ts",
      "!**/session-bridge/process/native-signatures.ts",
      "!**/session-bridge/networks/baileys/durability/trial-decryption.ts",
    ],
  ),
];

function browser(files: string, rules: OxlintOverride["rules"], ...patterns: Pattern[]): OxlintOverride {
  return {
    files: [files],
    plugins: ["typescript", "unicorn", "import", "promise", "react", "jsx-a11y"],
    rules: {
      "react/react-in-jsx-scope": "off",
      "jsx-a11y/prefer-tag-over-role": "off",
      ...rules,
      "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }],
      "no-restricted-imports": ["error", { patterns }],
      "jsx-a11y/media-has-caption": "off",
      "jsx-a11y/no-noninteractive-tabindex": ["error", { tags: ["pre"], roles: ["tabpanel", "region", "log", "note"] }],
    },
  };
}

/** Interfaces, because users of the SDK read and extend them, or because they merge with a library's. */
const INTERFACES: OxlintOverride = {
  files: [
    "packages/sdk/**",
    "test/worker/env.d.ts",
    "test/support/promised-times.ts",
    "test/support/sandbox-pool.ts",
    "dashboard/src/router.tsx",
    "dashboard/src/ui/use-closing.ts",
    "dashboard/src/pages/message-content/file.tsx",
  ],
  rules: { "typescript/consistent-type-definitions": "off" },
};

export default defineConfig({
  plugins: ["typescript", "unicorn", "import", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  ignorePatterns: ["src/guides/snippets", "node_modules", "dist", ".wrangler", ".sandbox", "migrations", "coverage"],
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": ["error", { checksVoidReturn: { arguments: false } }],
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/consistent-type-definitions": ["error", "type"],
    "import/no-cycle": "error",
    "no-duplicate-imports": "error",
    "import/no-unassigned-import": ["error", { allow: ["reflect-metadata"] }],
    "no-await-in-loop": "off",
    "no-shadow": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/consistent-return": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/no-array-reverse": "off",
    "unicorn/consistent-function-scoping": "off",
    "no-underscore-dangle": "off",
    "vitest/require-mock-type-parameters": "off",
    "typescript/no-misused-spread": "off",
    "vitest/valid-expect": ["error", { maxArgs: 2 }],
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true }],
    "typescript/no-unnecessary-type-assertion": "off",
    "vitest/no-standalone-expect": "off",
  },
  overrides: [
    ...IMPORTS,
    INTERFACES,
    {
      files: ["test/**", "bench/**"],
      rules: {
        "typescript/no-explicit-any": "off",
        "typescript/unbound-method": "off",
        "vitest/expect-expect": [
          "error",
          {
            assertFunctionNames: [
              "expect",
              "eventually",
              "bestOfThree",
              "nextEvent",
              "ok",
              "refused",
              "textIn",
              "expect*",
              "expectOneLine",
              "seen",
              "shown",
            ],
          },
        ],
      },
    },
    browser(
      "dashboard/phone/**",
      {},
      {
        group: ["**/test-network/**"],
        allowTypeImports: true,
        message: "The phone's page imports only types from the test network, so that its bundle contains no server code.",
      },
      {
        group: [
          "zod",
          "zod/**",
          ...HONO,
          "**/api/dashboard/**",
          "**/services/**",
          "**/session-bridge/**",
          "**/durable-objects/**",
          "**/test-network/**",
          "!**/test-network/phone",
          "!**/test-network/phone/views.ts",
          "**/src/pages/**",
          "**/api/client.ts",
        ],
        message: "The phone's page speaks only to the test network.",
      },
    ),
    browser(
      "dashboard/src/**",
      { "react/no-unstable-nested-components": ["error", { allowAsProps: true }] },
      {
        group: ["zod", "zod/**", ...HONO, "@gateway/protocol/**", "**/src/protocol/**", "**/api/dashboard/**"],
        allowTypeImports: true,
        message: "The dashboard imports only types from the contract, so that its bundle contains no zod and no server code.",
      },
      {
        group: [
          ...DRIZZLE,
          ...PLATFORM,
          "node:*",
          "**/services/**",
          "**/db/**",
          "**/http/**",
          "**/internal/**",
          "**/sandbox/**",
          ...PROGRAMS,
        ],
        message: "The dashboard speaks to the gateway only through its API.",
      },
    ),
  ],
});
