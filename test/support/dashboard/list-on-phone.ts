// The list of connections on a slow phone: 1.6 Mbit/s, 150 ms latency, a CPU four times slower.
import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { phones } from "../clients.ts";
import { eventually } from "../eventually.ts";
import { pairConnection } from "../paired-connection.ts";
import { ok } from "../replies.ts";
import { type CompressingProxy, compressingProxy } from "./compressing-proxy.ts";
import { type Dashboard, useDashboard } from "./dashboard.ts";

const SLOW = { offline: false, latency: 150, downloadThroughput: (1.6 * 1_000_000) / 8, uploadThroughput: (0.75 * 1_000_000) / 8 };

/** Largest contentful paint in ms; cumulative layout shift. */
export type Measured = { lcp: number; cls: number };
/** `calls`: API paths that the page has requested. */
export type OpenedList = { page: Page; session: CDPSession; calls: string[] };

/** Observes the page from its first paint. */
export const observeLayout = `
  globalThis.measured = { lcp: 0, cls: 0, interactions: [] };
  new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) measured.lcp = startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) measured.cls += entry.value; })
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => { for (const { startTime, duration, interactionId } of list.getEntries()) if (interactionId) measured.interactions.push({ at: startTime, ms: duration }); })
    .observe({ type: "event", durationThreshold: 16, buffered: true });
`;

export class ListOnPhone {
  readonly #dashboard: () => Dashboard;
  readonly #proxy: () => CompressingProxy;

  constructor(dashboard: () => Dashboard, proxy: () => CompressingProxy) {
    this.#dashboard = dashboard;
    this.#proxy = proxy;
  }

  /** Opens a window without loading the list. */
  async window(): Promise<OpenedList> {
    const { page, context, trouble } = await this.#dashboard().visit(null, { phone: true });
    // Its origin differs from the gateway's.
    trouble.expect(new RegExp(`asked for ${this.#proxy().url}`));
    const session = await context.newCDPSession(page);
    await page.addInitScript(observeLayout);
    const calls: string[] = [];
    page.on("request", (asked) => {
      const { pathname } = new URL(asked.url());
      if (pathname.startsWith("/api/") && !pathname.endsWith("/stream")) calls.push(pathname);
    });
    return { page, session, calls };
  }

  async stands(page: Page): Promise<Measured> {
    await page.goto(`${this.#proxy().url}/connections`);
    await page.getByRole("link", { name: /Demo/ }).first().waitFor();
    // The browser reports a paint after it happens.
    await page.waitForFunction(() => (globalThis as unknown as { measured: Measured }).measured.lcp > 0);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
    return page.evaluate("({ ...measured })");
  }
}

export async function slowDown(session: CDPSession): Promise<void> {
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", SLOW);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/** Starts a sandbox for the file. One of its numbers needs pairing, so the list shows it first. */
export function useListOnPhone(): ListOnPhone {
  const dashboard = useDashboard();
  let proxy: CompressingProxy;
  beforeAll(async () => {
    proxy = await compressingProxy(dashboard().url);
    const { ready } = dashboard();
    const { phone, owner, id } = await pairConnection(ready, "5511955000001", { name: "Needs pairing" });
    await ok(phones(ready).call("POST", `/phones/${phone}/unlink`, {}));
    const reason = async () => (await owner.call("GET", `/connections/${id}`)).body.data.status_reason;
    await eventually("unlinked", 60_000, async () => (await reason()) === "logged_out");
  });
  afterAll(() => proxy.close());
  return new ListOnPhone(dashboard, () => proxy);
}
