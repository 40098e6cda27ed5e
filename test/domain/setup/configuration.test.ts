// `npm run setup` changes wrangler.toml line by line: unknown lines stay, and repeating it changes nothing.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeConfiguration, changedText, readConfiguration } from "#root/tools/setup/configuration.ts";

const TOML = readFileSync(fileURLToPath(new URL("../../../wrangler.toml", import.meta.url)), "utf8");
const CHANGE = {
  name: "shop",
  workersDev: false,
  domains: ["gw.shop.dev"],
  databaseName: "shop",
  databaseId: "11111111-1111-4111-8111-111111111111",
  bucket: "shop-media",
  containers: ["OC", "APAC"],
  vars: { APP_URL: "https://gw.shop.dev", ADMIN_EMAIL: 'o"brien@shop.dev' },
};

/** Lines found only in the second text, in order. */
const added = (one: string, other: string) => other.split("\n").filter((line) => !one.split("\n").includes(line));

describe("the configuration", () => {
  it("gets the given values for production, and nothing else changes", () => {
    const text = changedText(TOML, "production", CHANGE);
    expect(added(TOML, text)).toEqual([
      'name = "shop"',
      'routes = [{ pattern = "gw.shop.dev", custom_domain = true }]',
      'APP_URL = "https://gw.shop.dev"',
      'ADMIN_EMAIL = "o\\"brien@shop.dev"',
      'constraints = { regions = ["OC","APAC"] }',
      'database_name = "shop"',
      'database_id = "11111111-1111-4111-8111-111111111111"',
      'bucket_name = "shop-media"',
    ]);
    const [before, after] = [TOML.split("[env.staging]"), text.split("[env.staging]")];
    expect(after[1]).toBe(before[1]);
    expect(after[0]?.split("\n").filter((line) => line.startsWith("#"))).toEqual(
      before[0]?.split("\n").filter((line) => line.startsWith("#")),
    );
    expect(changedText(text, "production", CHANGE)).toBe(text);
  });

  it("gets the same values for staging, in staging's tables alone", () => {
    const text = changedText(TOML, "staging", CHANGE);
    const [before, after] = [TOML.split("[env.staging]"), text.split("[env.staging]")];
    expect(after[0]).toBe(before[0]);
    expect(added(before[1] ?? "", after[1] ?? "")).toHaveLength(8);
    expect(changedText(text, "staging", CHANGE)).toBe(text);
  });

  it("keeps an operator's own lines and comments", () => {
    const own = TOML.replace("[vars]\n", '[vars]\n# ours\nOUR_OWN = "1"\n').replace("[[r2_buckets]]", "# media\n[[r2_buckets]]");
    const text = changedText(own, "production", CHANGE);
    expect(text).toContain('# ours\nOUR_OWN = "1"\n');
    expect(text).toContain("# media\n[[r2_buckets]]");
  });

  it("is refused if a line cannot be changed safely", () => {
    const several = TOML.replace('APP_URL = "https://app.example.com"', 'APP_URL = """\nhttps://app.example.com"""');
    expect(() => changedText(several, "production", CHANGE)).toThrow("APP_URL in wrangler.toml goes over several lines");
    expect(() => changedText("name = 1", "staging", CHANGE)).toThrow("wrangler.toml has no [env.staging]");
  });
});

describe("the routes", () => {
  const SETUPS = (domain: string) => ({ pattern: domain, custom_domain: true });
  const OWN = ["shop.dev/hook/*", { pattern: "status.shop.dev", custom_domain: true }, { pattern: "shop.dev/in/*", zone_name: "shop.dev" }];
  const LINE =
    'routes = [{ pattern = "old.shop.dev", custom_domain = true }, "shop.dev/hook/*", { pattern = "status.shop.dev", custom_domain = true }, { pattern = "shop.dev/in/*", zone_name = "shop.dev" }]';
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "routes-"));
    mkdirSync(join(root, "session-bridge"));
    writeFileSync(join(root, "session-bridge/Dockerfile"), "");
    const text = TOML.replace("workers_dev = false", `workers_dev = false\n${LINE}`);
    writeFileSync(join(root, "wrangler.toml"), text.replace('APP_URL = "https://app.example.com"', 'APP_URL = "https://old.shop.dev"'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it("keep those of the operator, and lose the domain of a previous address", () => {
    const changed = changeConfiguration(root, "production", CHANGE);
    expect(changed.routes).toEqual([SETUPS("gw.shop.dev"), ...OWN]);
    const text = readFileSync(join(root, "wrangler.toml"), "utf8");
    changeConfiguration(root, "production", CHANGE);
    expect(readFileSync(join(root, "wrangler.toml"), "utf8")).toBe(text);
  });

  it("of production do not come into staging, which would otherwise inherit them", () => {
    const file = join(root, "wrangler.toml");
    writeFileSync(file, readFileSync(file, "utf8").replace("\nroutes = []\n", "\n"));
    expect(readConfiguration(root, "staging").routes).toHaveLength(4);
    expect(changeConfiguration(root, "staging", CHANGE).routes).toEqual([SETUPS("gw.shop.dev")]);
  });
});
