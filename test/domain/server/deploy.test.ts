// The files of `deploy` fit the gateway that they run.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
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
  // Bridges and worker stop one after the other, each within ten seconds.
  expect(Number(seconds)).toBeGreaterThan(20);
});

it("commands for the service have its user, folder and settings", () => {
  const unit = read("deploy/gateway.service");
  const command = read("deploy/as-service");
  const set = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, assignment]) => assignment);
  expect(set.filter((assignment) => !command.includes(` ${assignment} `))).toEqual([]);
  expect(unit).toContain(`User=${/runuser -u (\w+)/.exec(command)?.[1]}\n`);
  expect(unit).toContain(`WorkingDirectory=${/^cd (\S+)$/m.exec(command)?.[1]}\n`);
});

it("Caddy passes requests to the default port", () => {
  const settings = readServeSettings({}, {});
  if (!settings.ok) throw new Error(settings.problem);
  const { host, port } = settings.settings.listen;
  expect(read("deploy/Caddyfile")).toContain(`reverse_proxy {$UPSTREAM:${host}:${port}}\n`);
});

describe("the compose file", () => {
  type Service = Record<string, unknown> & {
    env_file?: unknown;
    environment: Record<string, string>;
    ports: string[];
    volumes: string[];
    cap_drop: string[];
  };
  const compose = parse(read("deploy/compose.yaml")) as {
    services: { gateway: Service; caddy: Service & { networks: { inner: { ipv4_address: string } } } };
  };
  const { gateway, caddy } = compose.services;
  const image = read("deploy/Dockerfile");
  const port = 8787;

  it("passes every setting of its .env file, except those that belong to the image", () => {
    expect(gateway.env_file).toEqual([{ path: ".env", required: false }]);
    const [, fixed = ""] = /^ENV (.*)$/m.exec(image) ?? [];
    const own = Object.fromEntries(fixed.split(" ").map((pair) => pair.split("="))) as Record<string, string>;
    const env = {
      MAIL_FROM: "ana@example.com",
      LISTEN: "127.0.0.1",
      PORT: "1",
      DATA_DIR: "/x",
      BACKUP_DIR: "/y",
      COMPOSE_PROFILES: "public",
    };
    for (const settings of [own, { ...own, ...env, ...gateway.environment }])
      expect(readServeSettings({}, settings)).toMatchObject({
        ok: true,
        settings: { listen: { host: "0.0.0.0", port }, dataFolder: "/data", backups: { folder: "/backups" } },
      });
  });

  it("trusts Caddy alone, and lets only this machine reach the gateway without it", () => {
    expect(gateway.environment["TRUSTED_PROXIES"]).toBe(caddy.networks.inner.ipv4_address);
    expect(gateway.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(caddy.environment["UPSTREAM"]).toBe(`gateway:${port}`);
  });

  it("writes to the data, the backups and /tmp only, without privileges", () => {
    expect(gateway).toMatchObject({ read_only: true, cap_drop: ["ALL"], tmpfs: ["/tmp"], volumes: ["data:/data", "backups:/backups"] });
    expect(image).toMatch(/^USER node$/m);
    expect(image).toContain(`http://127.0.0.1:${port}/`);
  });

  it("runs what `npm run serve` runs, and copies neither secrets nor data into the image", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(image) ?? [];
    expect((JSON.parse(command) as string[]).join(" ")).toBe(scripts["serve"]?.replace("exec ", ""));
    const ignored = read("deploy/Dockerfile.dockerignore").split("\n");
    expect(ignored).toEqual(expect.arrayContaining([".git", ".dev.vars", ".env*", "gateway.env", "data", "backups", "**/node_modules"]));
  });
});
