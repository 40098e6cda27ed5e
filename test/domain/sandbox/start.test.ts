import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readFlags } from "#root/src/sandbox/host/flags.ts";
import { panel } from "#root/src/sandbox/host/banner.ts";
import type { Ready } from "#root/src/sandbox/host/state-directory.ts";
import { waitingFor } from "#root/server/processes/supervisor.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const READY: Ready = {
  app_url: "http://127.0.0.1:8787",
  base_url: "http://127.0.0.1:8787",
  dashboard_url: "http://127.0.0.1:8787/",
  network_url: "http://127.0.0.1:8790",
  graph_url: "http://127.0.0.1:8791",
  processes: { sandbox: 1, worker: 2, bridge: 3, network: 4 },
  admin: { email: "admin@example.com", password: "p" },
  demo: {
    email: "demo@example.com",
    password: "p",
    api_key: `acc_${"x".repeat(43)}`,
    connection: { id: 1, instance_id: "i", name: "Demo", phone: "5511900000001", api_key: `svc_${"x".repeat(60)}` },
    contact: { phone: "5511900000002", name: "Eco" },
    cloud: {
      id: 2,
      instance_id: "j",
      name: "Cloud",
      phone: "5511900000090",
      api_key: `svc_${"y".repeat(60)}`,
      phone_number_id: "1",
    },
  },
};

function panelOf(ready: Ready, ...args: string[]): string {
  const read = readFlags(args);
  if (!read.ok) throw new Error("bad flags");
  return panel(ready, read.flags, 6_100, { logDirectory: ".sandbox/logs", converter: false });
}

describe("a slow start", () => {
  it("is reported every 15 seconds, and continues", async () => {
    const told: string[] = [];
    const started = Promise.withResolvers<string>();
    const waiting = waitingFor("the worker", (text) => told.push(text), started.promise);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(told).toEqual([15, 30, 45].map((s) => `still starting: waiting for the worker (${s} s)`));
    started.resolve("here");
    expect(await waiting).toBe("here");
    await vi.advanceTimersByTimeAsync(50_000);
    expect(told).toHaveLength(3);
  });

  it("is given up after ten minutes", async () => {
    const waiting = waitingFor("the worker", () => undefined, new Promise<string>(() => undefined)).catch(String);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await waiting).toMatch("within 10 minutes");
  });
});

describe("the panel", () => {
  it("has the dashboard with who signs in, the documentation, the phones and both keys", () => {
    const text = panelOf(READY);
    const people = [`${READY.demo.email}, password p`, `${READY.admin.email}, password p`];
    for (const shown of [
      ...people,
      READY.dashboard_url,
      "/docs ",
      "/docs/account ",
      READY.network_url ?? "",
      READY.demo.api_key,
      READY.demo.connection.api_key,
    ]) {
      expect(text).toContain(shown);
    }
  });

  it("fits 80 columns, except for the line with a key", () => {
    for (const ready of [READY, { ...READY, network_url: null, demo: { ...READY.demo, contact: null, cloud: null } }]) {
      const wide = panelOf(ready, "--strict", "--no-limits")
        .split("\n")
        .filter((line) => line.length > 80);
      expect(wide.filter((line) => !line.includes("svc_"))).toEqual([]);
    }
  });

  it("begins with the first send, and is coloured only on a terminal, with the same text", () => {
    const read = readFlags([]);
    if (!read.ok) throw new Error("bad flags");
    const shown = (colors: boolean) => panel(READY, read.flags, 6_100, { logDirectory: ".sandbox/logs", converter: true, colors });
    expect(shown(false).indexOf("curl")).toBeLessThan(shown(false).indexOf("dashboard"));
    expect(stripVTControlCharacters(shown(true))).toBe(shown(false));
    expect(shown(true)).not.toBe(shown(false));
    const command = shown(true)
      .split("\n")
      .find((line) => line.includes("curl"));
    expect(command).toMatch(new RegExp(`^${String.fromCharCode(27)}\\[36m  curl`));
  });
});
