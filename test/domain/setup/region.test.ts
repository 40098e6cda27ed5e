// `npm run setup`'s region in each service's terms, and a deployment's cost.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { LOCATIONS, locationOf } from "@gateway/domain/fleet/locations.ts";
import { estimate } from "#root/tools/cost/estimate.ts";
import { changedText } from "#root/tools/setup/configuration.ts";
import { costText } from "#root/tools/setup/cost.ts";
import { placeOf, regionText } from "#root/tools/setup/region.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Cloudflare refuses containers restricted to one of these. */
const LIMITED = new Set(["ME", "OC", "AFR"]);

it.each(LOCATIONS)("wrangler takes the container regions of %s", (region) => {
  const folder = mkdtempSync(join(tmpdir(), "region-"));
  const config = join(folder, "wrangler.toml");
  const { containers } = placeOf(region);
  const toml = readFileSync(join(ROOT, "wrangler.toml"), "utf8").replaceAll("./session-bridge/Dockerfile", "registry.test/bridge:1");
  writeFileSync(config, changedText(toml, "production", { containers }));
  const read = unstable_readConfig({ config }, { hideWarnings: true }) as unknown as { containers: { constraints: unknown }[] };
  rmSync(folder, { recursive: true });
  expect(read.containers[0]?.constraints).toEqual({ regions: containers });
  expect(containers.some((name) => !LIMITED.has(name))).toBe(true);
  expect(regionText(region)).toContain("stay where they are created");
});

it("the guide names the same places for each region", () => {
  const guide = readFileSync(join(ROOT, "docs/operate/deployment.md"), "utf8");
  for (const region of LOCATIONS) {
    const { storage, containers } = placeOf(region);
    const row = new RegExp(`^\\|.*\`${region}\`.*\\|$`, "m").exec(guide.split("\n## Region\n")[1] ?? "")?.[0] ?? "";
    const isThere = storage === region && containers.join() === region.toUpperCase();
    const cells = isThere ? "| there | there | there |" : `| \`${storage}\` | ${containers.map((name) => `\`${name}\``).join(", ")} |`;
    expect([region, row]).toEqual([region, expect.stringContaining(cells)]);
  }
});

it("objects are created in their shard's region, otherwise in the deployment's", () => {
  expect(locationOf("weur/1", "sam")).toBe("weur");
  expect(locationOf(null, "sam")).toBe("sam");
  expect(locationOf("default", "oc")).toBe("oc");
  for (const region of ["", undefined, "mars"]) expect(locationOf(null, region)).toBeNull();
});

it("the price page has the prices of setup", () => {
  const page = readFileSync(join(ROOT, "docs/internals/costs.md"), "utf8");
  const [cloudflare, external] = [estimate("cloudflare"), estimate("external")];
  const row = (name: string) => Number(new RegExp(`^\\| ${name} \\|.*\\| \\$?([\\d.]+) \\|$`, "m").exec(page)?.[1]);
  expect(row("received text, one webhook")).toBeCloseTo(cloudflare.received, 0);
  expect(row("text send with its three deliveries")).toBeCloseTo(cloudflare.sent, 0);
  expect(row("`basic`")).toBeCloseTo(cloudflare.numbers, -1);
  expect(row("rented machines")).toBeCloseTo(external.numbers, 1);
});

it("setup tells the costs of a deployment while idle, per number and per message", () => {
  expect(costText("cloudflare")).toMatch(
    /while idle +\$19 a month.*\n +1,000 numbers +\$11\d a month\n +a million messages +\$\d+ received, \$\d+ sent$/,
  );
  expect(costText("external")).toMatch(
    /while idle +\$5 a month: the Workers Paid plan\..*\n +1,000 numbers +\$6\.9 a month, on rented machines\n/,
  );
});
