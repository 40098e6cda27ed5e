// The files of `deploy` fit the gateway that they run.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { expect, it } from "vitest";
import { HOST, readServeSettings } from "#root/server/settings.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const read = (name: string) => readFileSync(`${ROOT}${name}`, "utf8");

it("gateway.env shows every setting of the host, each with its default", () => {
  const commented = read("deploy/gateway.env");
  const shown = parseEnv(commented.replaceAll(/^#(?=[A-Z_]+=)/gm, ""));
  expect(Object.keys(shown).toSorted()).toEqual(Object.keys(HOST).toSorted());
  const [defaults, asShown] = [readServeSettings(parseEnv(commented), {}), readServeSettings({ ...shown, DOMAIN: "" }, {})];
  if (!defaults.ok || !asShown.ok) throw new Error("the settings are refused");
  expect({ ...asShown.settings, proxies: null }).toEqual({ ...defaults.settings, proxies: null });
});

it("the page lists every setting of the host", () => {
  const page = read("docs/operate/one-machine.md");
  for (const name of Object.keys(HOST)) expect(page, name).toContain(`\`${name}\``);
});

it("the service runs what `npm run serve` runs, and stops no sooner than the host", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const unit = read("deploy/gateway.service");
  expect(unit).toContain(`ExecStart=/opt/gateway/node_modules/.bin/${scripts["serve"]?.replace("exec ", "")}\n`);
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
  // Bridges and worker stop one after the other, in ten seconds each.
  expect(Number(seconds)).toBeGreaterThan(20);
});

it("Caddy passes requests to the default port", () => {
  const settings = readServeSettings({}, {});
  if (!settings.ok) throw new Error(settings.problem);
  const { host, port } = settings.settings.listen;
  expect(read("deploy/Caddyfile")).toContain(`reverse_proxy ${host}:${port}\n`);
});
