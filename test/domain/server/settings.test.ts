import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { readServeSettings } from "#root/server/settings.ts";

const problem = (file: Record<string, string>, environment: Record<string, string> = {}) => {
  const read = readServeSettings(file, environment);
  return read.ok ? null : read.problem;
};

describe("the settings of one machine", () => {
  it("have defaults for everything", () => {
    const read = readServeSettings({}, {});
    expect(read).toMatchObject({
      ok: true,
      settings: { appUrl: "http://localhost:8787", listen: { host: "127.0.0.1", port: 8787 }, bridges: 1 },
    });
  });

  it("takes the environment before the file, and an empty value for none", () => {
    const read = readServeSettings({ DOMAIN: "a.example.com", PORT: "9000", MAIL_FROM: "" }, { DOMAIN: "b.example.com", SMTP: "ignored" });
    expect(read).toMatchObject({
      settings: { appUrl: "https://b.example.com", listen: { port: 9000 }, workerVars: { MAIL_FROM: "gateway@b.example.com" } },
    });
  });

  it.each([
    ["DOMAIN", "https://example.com"],
    ["DOMAIN", "localhost"],
    ["LISTEN", "eth0"],
    ["PORT", "http"],
    ["PORT", "70000"],
    ["ADMIN_EMAIL", "ana"],
    ["SMTP_URL", "mail.example.com"],
    ["SMTP_URL", "https://mail.example.com"],
    ["SMTP_URL", "smtp://user:100%@mail.example.com"],
    ["TRUSTED_PROXIES", "caddy"],
    ["WEBHOOK_HOSTS", "n8n"],
    ["WEBHOOK_HOSTS", "http://n8n:5678"],
    ["WEBHOOK_HOSTS", "127.0.0.1:3000, n8n:"],
    ["WEBHOOK_HOSTS", "n8n:0"],
    ["WEBHOOK_HOSTS", "n8n:65536"],
    ["WEBHOOK_HOSTS", "127.1:3000"],
    ["WEBHOOK_HOSTS", "N8N:5678"],
    ["WEBHOOK_HOSTS", "::1:3000"],
    ["WEBHOOK_HOSTS", "*:3000"],
    ["WEBHOOK_HOSTS", "10.0.0.0/8:3000"],
    ["BRIDGES", "0"],
    ["BRIDGE_CAPACITY", "many"],
    ["BILLING_URL", "http://example.com"],
    ["SUBSCRIPTIONS", "free"],
    ["SUPPORT_PHONE", "+55"],
    ["BRIDGE_NETWORK", "other"],
    ["LOG_SAMPLE", "2"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector"],
  ])("names %s when it is %j, in one line without the value", (name, value) => {
    const said = problem({ [name]: value }) ?? "";
    expect(said).toMatch(new RegExp(`^${name}: .+`));
    expect(said).not.toContain("\n");
    expect(said.slice(name.length)).not.toContain(`"${value}"`);
  });

  it("lists the webhook receivers that may be private, by default none", () => {
    expect(readServeSettings({}, {})).toMatchObject({ settings: { webhookHosts: [] } });
    expect(readServeSettings({ WEBHOOK_HOSTS: "127.0.0.1:3000, n8n:5678 [::1]:80" }, {})).toMatchObject({
      settings: { webhookHosts: ["127.0.0.1:3000", "n8n:5678", "[::1]:80"] },
    });
  });

  it.each([
    { DATA_DIR: "/srv/gateway", BACKUP_DIR: "/srv/gateway/backups" },
    { DATA_DIR: "/srv/gateway", BACKUP_DIR: "/srv/gateway" },
    { DATA_DIR: ".", BACKUP_DIR: "" },
    { DATA_DIR: "/", BACKUP_DIR: "/srv/backups" },
  ])("refuses $BACKUP_DIR for backups of $DATA_DIR, because a restore would move them away with the data", (folders) => {
    expect(problem(folders)).toBe("BACKUP_DIR: must be outside DATA_DIR, because a restore moves that folder's content away");
  });

  it.each([
    { DATA_DIR: "/srv/gateway", BACKUP_DIR: "/srv/gateway-backups" },
    { DATA_DIR: "/srv/gateway/data", BACKUP_DIR: "/srv/gateway" },
    { DATA_DIR: "/srv", BACKUP_DIR: "/..srv" },
  ])("accepts $BACKUP_DIR for backups of $DATA_DIR", (folders) => {
    expect(problem(folders)).toBeNull();
  });

  it("refuses a setting that does not exist in the file, and ignores other programs' variables", () => {
    expect(problem({ DOMAN: "a.example.com" })).toBe("DOMAN: there is no such setting");
    expect(problem({}, { DOMAN: "a.example.com" })).toBeNull();
  });
});

it.each([
  { argument: "--help", code: 0 },
  { argument: "--port=9000", code: 2 },
])("npm run serve $argument starts nothing, and leads to the settings", ({ argument, code }) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["server/start.mjs", argument], { encoding: "utf8", timeout: 60_000 });
  expect([status, stdout]).toEqual([code, ""]);
  expect(stderr).toContain('docs/operate/one-machine.md, "Settings"');
});
