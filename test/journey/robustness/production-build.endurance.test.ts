// The build for deployment: complete configuration, and no sandbox code.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { graphUrl, PRODUCTION } from "#root/durable-objects/shared/deployment.ts";
import { checkStartup, ROOT, wranglerBuild, type WranglerBuild } from "../../support/deployment/wrangler-build.ts";

const out = mkdtempSync(join(tmpdir(), "gateway-build-"));

function sourcesOf(folder: string): string {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return files
    .flatMap((name) => (/^(?!.*node_modules).*\.ts$/.test(name) ? [readFileSync(join(ROOT, folder, name), "utf8")] : []))
    .join("\n");
}

describe("the production build", () => {
  let production: WranglerBuild;
  let sandbox: WranglerBuild;

  beforeAll(async () => {
    production = await wranglerBuild(join(out, "production"));
    sandbox = await wranglerBuild(join(out, "sandbox"), "src/sandbox/worker.ts");
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it("has every binding and setting the code asks for", () => {
    for (const binding of [
      "CONNECTION (Connection)",
      "ADDRESS_GUARD (AddressGuard)",
      "ACCOUNT_GUARD (AccountGuard)",
      "BRIDGE_POOL (BridgePool)",
      "BRIDGE_CONTAINER (BridgeContainer)",
      "BRIDGE_CONTAINER_WEUR (BridgeContainerWeur)",
    ]) {
      expect(production.report).toContain(`env.${binding}`);
    }
    for (const name of [
      "DB",
      "MEDIA",
      "MAIL",
      "ASSETS",
      "APP_URL",
      "BASE_URL",
      "NETWORK_SUFFIX",
      "MAIL_FROM",
      "ADMIN_EMAIL",
      "SUBSCRIPTIONS",
      "SUBSCRIPTION_INSTANCES",
      "IDENTITY_ISSUER",
      "IDENTITY_AUDIENCE",
      "BRIDGE_NETWORK",
      "BRIDGE_HOST",
      "GRAPH_URL",
      "GRAPH_VERSION",
    ]) {
      expect(production.report).toMatch(new RegExp(`env\\.${name}\\b`));
    }
    expect(production.report).toContain("dry-run: exiting now");
  });

  it("keeps secrets out of its configuration", () => {
    const config = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
    for (const secret of ["KEY_SECRET", "STATE_SECRET", "BRIDGE_SECRET", "AUTH_SECRET"])
      expect(config).not.toMatch(new RegExp(`^${secret}\\s*=`, "m"));
  });

  it("contains nothing of the sandbox", () => {
    for (const trace of ["/sandbox", "SANDBOX_", "sandbox_mail", "/setup", "/storage", "d1_statements"]) {
      expect([trace, production.script.includes(trace)]).toEqual([trace, false]);
      // The sandbox's bundle contains the same texts, which keeps this test valid.
      expect([trace, sandbox.script.includes(trace)]).toEqual([trace, true]);
    }
  });

  it("contains nothing of the local Graph, and uses Meta's", () => {
    const network = sourcesOf("test-network");
    for (const trace of ["/cloud/numbers", "/cloud/faults", "/cloud/clock", "phpJson", "shakeHands", "reportStatus"]) {
      expect([trace, production.script.includes(trace), sandbox.script.includes(trace)]).toEqual([trace, false, false]);
      expect([trace, network.includes(trace)]).toEqual([trace, true]);
    }
    expect(production.report).toMatch(/env\.GRAPH_URL \("https:\/\/graph\.facebook\.com"\)/);
    // Meta's webhook route is present.
    expect(production.script).toContain("/api/cloud/webhook");
    expect(graphUrl("http://127.0.0.1:8123", PRODUCTION)).toBeNull();
    expect(graphUrl("https://graph.facebook.com", PRODUCTION)).toBe("https://graph.facebook.com");
    expect(graphUrl("http://127.0.0.1:8123", { ...PRODUCTION, localGraph: true })).toBe("http://127.0.0.1:8123");
  });

  it("loads in the runtime, by wrangler's own check", async () => {
    const report = await checkStartup(join(out, "production"));
    expect(report).toMatch(/Local startup profile:\n(?:.*\n)*.*Active: [\d.]+ ms/);
    process.stdout.write(`${/ *Active: .*/.exec(report)?.[0].trim()}\n`);
  });

  it("fits the platform's limits", () => {
    const [, gzipKib = "Infinity"] = /gzip: ([\d.]+) KiB/.exec(production.report) ?? [];
    // An isolate loads the whole bundle before its first request.
    expect(Number(gzipKib)).toBeLessThan(528);
  });

  it("contains no document texts, which are static files", () => {
    for (const text of ["x-description-pt", "## First steps"]) expect([text, production.script.includes(text)]).toEqual([text, false]);
  });
});
