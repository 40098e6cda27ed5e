// How fast the dashboard stands and answers on a slow phone (docs/dashboard.md, "Budgets"): 1.6 Mbit/s, 150 ms, a processor four times
// slower. What is promised in seconds is promised for a quiet machine of two cores; a slower one gets as much more time as it needs for a
// fixed computation.
import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CompressingProxy, compressingProxy } from "../../support/dashboard/compressing-proxy.ts";
import { phones } from "../../support/clients.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";

const SLOW = { offline: false, latency: 150, downloadThroughput: (1.6 * 1_000_000) / 8, uploadThroughput: (0.75 * 1_000_000) / 8 };
/** The computation takes this long on a quiet machine, without throttling. */
const USUAL_COMPUTATION_MS = 130;
const MAX_TRIES = 5;

const dashboard = useDashboard();
let proxy: CompressingProxy;
beforeAll(async () => {
  proxy = await compressingProxy(dashboard().url);
  // A number that needs somebody stands above the list, and comes with it.
  const { ready } = dashboard();
  const { phone, owner, id } = await pairConnection(ready, "5511955000001", { name: "Needs pairing" });
  await ok(phones(ready).call("POST", `/phones/${phone}/unlink`, {}));
  await eventually(
    "unlinked",
    60_000,
    async () => (await owner.call("GET", `/connections/${id}`)).body.data.status_reason === "logged_out",
  );
});
afterAll(() => proxy.close());

type Measured = { lcp: number; cls: number };
type Opened = { page: Page; session: CDPSession; calls: string[]; slack: number };

/** Observes the page from its first paint on. */
const OBSERVE = `
  globalThis.measured = { lcp: 0, cls: 0, slowest: 0 };
  new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) measured.lcp = startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) measured.cls += entry.value; })
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => { for (const { duration, interactionId } of list.getEntries()) if (interactionId) measured.slowest = Math.max(measured.slowest, duration); })
    .observe({ type: "event", durationThreshold: 16, buffered: true });
`;

async function open(slow: boolean): Promise<Opened> {
  const { page, context, trouble } = await dashboard().visit(null, { phone: true });
  // Its address is another one than the gateway's own.
  trouble.expect(new RegExp(`asked for ${proxy.url}`));
  const slack = await slackOf(page);
  const session = await context.newCDPSession(page);
  await page.addInitScript(OBSERVE);
  if (slow) {
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", SLOW);
    await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  }
  const calls: string[] = [];
  page.on("request", (asked) => {
    const { pathname } = new URL(asked.url());
    if (pathname.startsWith("/api/") && !pathname.endsWith("/stream")) calls.push(pathname);
  });
  return { page, session, calls, slack };
}

/** How much slower this machine is just now, at least 1. */
async function slackOf(page: Page): Promise<number> {
  const ms = await page.evaluate(() => {
    const start = performance.now();
    let sum = 0;
    for (let i = 0; i < 40_000_000; i += 1) sum = (sum + i * 31) % 1_000_003;
    return performance.now() - start + sum * 0;
  });
  return Math.max(1, ms / USUAL_COMPUTATION_MS);
}

async function listStands(page: Page): Promise<Measured> {
  await page.goto(`${proxy.url}/connections`);
  await page.getByRole("link", { name: /Demo/ }).first().waitFor();
  // The paint after the list.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
  return page.evaluate("({ ...measured })");
}

/**
 * The best of some tries: whoever else works on this machine just then makes a try slower, and never faster. Milliseconds, as they would be
 * on a quiet machine.
 */
async function best(name: string, limitMs: number, isSlow: boolean, measure: (opened: Opened) => Promise<number>): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < MAX_TRIES && fastest > limitMs; tries += 1) {
    const opened = await open(isSlow);
    const ms = await measure(opened);
    await opened.session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    const slack = Math.max(opened.slack, await slackOf(opened.page));
    console.info(`${name}: ${ms.toFixed(0)} ms, machine ${slack.toFixed(1)} x slower`);
    fastest = Math.min(fastest, ms / slack);
    await opened.page.context().close();
  }
  expect(fastest).toBeGreaterThan(0);
  return fastest;
}

describe("the list of connections", () => {
  it("stands within 2.5 seconds on a slow phone, without moving, after at most two calls", async () => {
    const ms = await best("LCP on a slow phone", 2_500, true, async ({ page, calls }) => {
      const { lcp, cls } = await listStands(page);
      expect(cls).toBeLessThanOrEqual(0.02);
      expect(calls.length).toBeLessThanOrEqual(2);
      return lcp;
    });
    expect(ms).toBeLessThanOrEqual(2_500);
  });

  it("stands within 0.6 seconds on cable", async () => {
    const ms = await best("LCP on cable", 600, false, async ({ page }) => (await listStands(page)).lcp);
    expect(ms).toBeLessThanOrEqual(600);
  });

  it("answers every click and key within 0.2 seconds on a slow phone", async () => {
    const ms = await best("slowest interaction on a slow phone", 200, true, async ({ page }) => {
      await listStands(page);
      await page.getByRole("button", { name: "Nova conexão" }).click();
      await page.getByLabel("Nome da conexão").pressSequentially("Loja Centro");
      await page.keyboard.press("Escape");
      await page.getByRole("searchbox").pressSequentially("demo");
      await page.getByRole("link", { name: /Demo/ }).first().click();
      await page.getByRole("heading", { level: 1, name: "Demo" }).waitFor();
      return (await page.evaluate<{ slowest: number }>("({ ...measured })")).slowest;
    });
    expect(ms).toBeLessThanOrEqual(200);
  });

  it("turns to a page that is known within 0.1 seconds", async () => {
    const ms = await best("known page", 100, false, async ({ page }) => {
      await listStands(page);
      // Known: seen before.
      await page.getByRole("link", { name: /Demo/ }).first().click();
      await page.getByRole("heading", { level: 1, name: "Demo" }).waitFor();
      await page.goBack();
      await page.getByRole("heading", { level: 1, name: "Conexões" }).waitFor();
      return page.evaluate(async () => {
        const link = [...document.querySelectorAll<HTMLAnchorElement>("main a")].find(({ textContent }) => textContent.includes("Demo"));
        const startedAt = performance.now();
        link?.click();
        while (document.querySelector("h1")?.textContent !== "Demo") await new Promise((resolve) => requestAnimationFrame(resolve));
        return performance.now() - startedAt;
      });
    });
    expect(ms).toBeLessThanOrEqual(100);
  });
});
