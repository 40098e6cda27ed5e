import { describe, expect, it } from "vitest";
import { planOf, readFlags } from "#root/tools/setup/options.ts";

const NOW = {
  name: "messaging-gateway",
  workersDev: false,
  routes: [],
  databaseName: "gateway",
  databaseId: "00000000-0000-0000-0000-000000000000",
  bucket: "gateway-media",
  containers: [],
  vars: { APP_URL: "https://app.example.com", BASE_URL: "https://api.example.com", MAIL_FROM: "gateway@example.com", ADMIN_EMAIL: "" },
};
const GIVEN = ["--yes", "--url", "https://gw.shop.dev/", "--admin-email", "Ana@shop.dev", "--mail-from", "gw@shop.dev", "--region", "sam"];

function planFor(args: readonly string[], now = NOW, env: Record<string, string> = {}) {
  const flags = readFlags(args, env);
  if (flags === null) throw new Error("help");
  return planOf(flags, "/repository", now);
}

describe("the flags of setup", () => {
  it("are sufficient, by flag or by variable", async () => {
    const plan = await planFor(GIVEN);
    expect(plan).toMatchObject({
      environment: "production",
      name: "messaging-gateway",
      databaseName: "gateway",
      bucket: "gateway-media",
      workersDev: false,
      domains: ["gw.shop.dev"],
      bridge: "cloudflare",
      vars: {
        APP_URL: "https://gw.shop.dev",
        BASE_URL: "https://gw.shop.dev",
        ADMIN_EMAIL: "ana@shop.dev",
        SUBSCRIPTIONS: "managed",
        REGION: "sam",
      },
    });
    expect(plan.secretsFile).toMatch(/\/gateway-secrets\/messaging-gateway\.env$/);
    const [, , , ...rest] = GIVEN;
    expect(await planFor(["--yes", ...rest], NOW, { SETUP_URL: "https://gw.shop.dev" })).toEqual(plan);
  });

  it("are named if missing, also where the repository has only a placeholder", async () => {
    await expect(planFor(["--yes"])).rejects.toThrow("missing: --url --admin-email --mail-from --region");
  });

  it("default to the values that an earlier run has written", async () => {
    const before = await planFor([...GIVEN, "--subscriptions", "open", "--bridge", "external", "--api-url", "https://api.shop.dev"]);
    expect(before.domains).toEqual(["gw.shop.dev", "api.shop.dev"]);
    const again = await planFor(["--yes"], { ...NOW, vars: { ...NOW.vars, ...before.vars } });
    expect(again).toEqual(before);
  });

  it.each([
    [["--url", "http://gw.shop.dev"], "--url"],
    [["--url", "https://gw.shop.dev/path"], "nothing behind it"],
    [["--bridge", "elsewhere"], "--bridge"],
    [["--region", "brazil"], "--region"],
    [["--name", "Not a name"], "small letters"],
    [["--domain", "x"], "--domain"],
    [["--wait", "soon"], "--wait"],
  ])("are refused: %j", (args, problem) => {
    expect(() => readFlags([...GIVEN, ...args], {})).toThrow(problem);
  });

  it("know workers.dev, where the worker's name is part of the address", async () => {
    const at = (host: string) => planFor([...GIVEN, "--url", `https://${host}`]);
    expect(await at("messaging-gateway.acme.workers.dev")).toMatchObject({ workersDev: true, domains: [] });
    await expect(at("other.acme.workers.dev")).rejects.toThrow("the worker messaging-gateway is not reached at other.acme.workers.dev");
  });

  it("keep secrets out of the repository", async () => {
    await expect(planFor([...GIVEN, "--secrets", "/repository/secrets.env"])).rejects.toThrow("is inside the repository");
  });
});
