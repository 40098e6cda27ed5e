// Outbound access. The deployed worker reaches the public internet through `fetch`; none of its bindings gives access to a network. Also
// lists where the session bridge opens connections.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";

const config = unstable_readConfig({ config: fileURLToPath(new URL("../../../wrangler.toml", import.meta.url)) });

it("the worker fetches from public addresses only, by a rule of the platform", () => {
  expect(config.compatibility_flags).toContain("global_fetch_strictly_public");
  expect(config.compatibility_flags).not.toContain("global_fetch_private_origin");
});

it("the worker has no binding through which a customer's URL could go elsewhere", () => {
  expect({
    services: config.services,
    dispatch_namespaces: config.dispatch_namespaces,
    vpc_services: config.vpc_services,
    hyperdrive: config.hyperdrive,
    mtls_certificates: config.mtls_certificates,
    tail_consumers: config.tail_consumers ?? [],
    browser: config.browser ?? null,
  }).toEqual({
    services: [],
    dispatch_namespaces: [],
    vpc_services: [],
    hyperdrive: [],
    mtls_certificates: [],
    tail_consumers: [],
    browser: null,
  });
  // Only the sandbox has its own egress service.
  expect(JSON.stringify(config)).not.toContain("EGRESS");
});

it("the bridge fetches in three places only: its worker, the network's hosts, the operator's collector", () => {
  const folder = fileURLToPath(new URL("../../../session-bridge/", import.meta.url));
  const fetching = globSync("**/*.ts", { cwd: folder, exclude: (name) => /(^|\/)(node_modules|planted-\w+)(\/|$)/.test(name) }).filter(
    (name) => {
      const code = readFileSync(`${folder}${name}`, "utf8").replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
      return /(?<![.#\w]|async )fetch\(|\bhttps?\.(get|request)\(|downloadMediaMessage|downloadContentFromMessage|\.sendMessage\(/.test(
        code,
      );
    },
  );
  expect(fetching.toSorted()).toEqual([
    "gateway/assigned-pool.ts",
    "gateway/media-link.ts",
    "networks/baileys/media/fetch-file.ts",
    "tracing.ts",
  ]);
});
