// The dashboard in a real browser against a sandbox. After each test, its pages must have logged no console error, violated no policy, and
// stored only the user's preferences and unsent texts in localStorage.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Ready } from "#root/src/sandbox/host/state-directory.ts";
import { openBrowser } from "../browser.ts";
import { ask } from "../clients.ts";
import { administrator, inviteUser, ownAddress } from "../invited-user.ts";
import { type Sandbox, startSandbox } from "../sandbox.ts";
import { borrowSandbox, type SharedSandbox } from "../shared-sandbox.ts";
import { Trouble } from "./browser-trouble.ts";

/** The only keys a page may store (docs/use/dashboard.md, "What the browser stores"). */
const LASTING = new Set(["hide", "language", "steps", "theme", "unsent"]);

export type WindowOptions = {
  /** The user to sign in as, by default the demo user; null for nobody. */
  as?: string | null;
  language?: "pt" | "en";
  theme?: "light" | "dark";
  width?: number;
  /** Emulates a phone: touch and a small screen. */
  phone?: boolean;
  options?: BrowserContextOptions;
};

/** One user's browser window. */
export type OpenWindow = { page: Page; context: BrowserContext; trouble: Trouble };

export class Dashboard {
  readonly #sandbox: SharedSandbox;
  readonly #browser: Browser;
  readonly #cookies = new Map<string, string>();
  readonly #visits: OpenWindow[] = [];

  constructor(sandbox: SharedSandbox, browser: Browser) {
    this.#sandbox = sandbox;
    this.#browser = browser;
  }

  get ready(): Ready {
    return this.#sandbox.ready();
  }

  /** The test file's own sandbox, which it may disrupt. */
  get own(): Sandbox {
    if (!("directory" in this.#sandbox)) throw new Error("useDashboard(flags) starts a sandbox of its own");
    return this.#sandbox as Sandbox;
  }

  get url(): string {
    return this.ready.app_url;
  }

  /** Logs of the sandbox's processes. */
  logs(): string {
    return this.#sandbox.logs();
  }

  /** Opens a window, and `path` in it if given. */
  async visit(path: string | null, opened: WindowOptions = {}): Promise<OpenWindow> {
    const { as = this.ready.demo.email, language = "pt", theme = "light", width = 1280, phone = false, options } = opened;
    const context = await this.#browser.newContext({
      baseURL: this.url,
      locale: language === "pt" ? "pt-BR" : "en-US",
      timezoneId: "America/Sao_Paulo",
      colorScheme: theme,
      viewport: { width: phone ? 360 : width, height: phone ? 740 : 900 },
      hasTouch: phone,
      isMobile: phone,
      reducedMotion: "reduce",
      extraHTTPHeaders: { "cf-connecting-ip": ownAddress() },
      ...options,
    });
    context.setDefaultTimeout(120_000);
    if (as !== null) await this.signIn(context, as);
    const page = await context.newPage();
    const trouble = new Trouble();
    trouble.watch(page, this.url);
    const visit = { page, context, trouble };
    this.#visits.push(visit);
    if (path !== null) await page.goto(path);
    return visit;
  }

  /** Gives the window this user's session, as if the user had signed in before. */
  async signIn(context: BrowserContext, email: string): Promise<void> {
    const cookie = this.#cookies.get(email) ?? (await this.#sessionOf(email));
    this.#cookies.set(email, cookie);
    const [name = "", ...value] = cookie.split("=");
    await context.addCookies([{ name, value: value.join("="), url: this.url, httpOnly: true, sameSite: "Lax" }]);
  }

  /** Creates a user who has a subscription for five instances and can sign in. Returns the address. */
  async newUser(email: string): Promise<string> {
    const invited = await inviteUser(this.ready, await administrator(this.ready), email);
    this.#cookies.set(email, invited.cookie.split("; ")[0] ?? "");
    return email;
  }

  /** Closes the windows; fails if any of them had problems. */
  async closeVisits(): Promise<void> {
    const problems: string[] = [];
    for (const { page, context, trouble } of this.#visits.splice(0)) {
      const kept = page.isClosed() || !page.url().startsWith(this.url) ? [] : await page.evaluate(() => Object.keys(localStorage));
      problems.push(...trouble.found, ...kept.filter((name) => !LASTING.has(name)).map((name) => `kept in localStorage: ${name}`));
      await context.close();
    }
    expect(problems).toEqual([]);
  }

  async #sessionOf(email: string): Promise<string> {
    const { demo, admin } = this.ready;
    const known = [demo, admin].find((each) => each.email === email);
    if (known === undefined) throw new Error(`no password is known of ${email}: newUser() makes a user`);
    const { password } = known;
    const answer = await ask(`${this.url}/api/auth/sign-in/email`, { headers: { origin: this.url }, json: { email, password } });
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
    if (cookie === undefined) throw new Error(`${email} cannot sign in: ${answer.status} ${JSON.stringify(answer.body)}`);
    return cookie;
  }
}

export type OpenDashboard = { dashboard: Dashboard; close(): Promise<void> };

/** `flags` starts a separate sandbox. */
export async function openDashboard(flags?: readonly string[]): Promise<OpenDashboard> {
  const [sandbox, browser] = await Promise.all([flags === undefined ? borrowSandbox() : startSandbox(flags), openBrowser()]);
  return {
    dashboard: new Dashboard(sandbox, browser),
    async close() {
      await browser.close();
      await sandbox.dispose();
    },
  };
}

/**
 * One sandbox and one browser for this file. `flags` starts a separate sandbox. Without them, files reuse one in sequence, so the demo
 * connection and its contact must stay unchanged.
 */
export function useDashboard(flags?: readonly string[]): () => Dashboard {
  let opened: OpenDashboard;
  beforeAll(async () => {
    opened = await openDashboard(flags);
  });
  afterEach(() => opened.dashboard.closeVisits());
  afterAll(() => opened.close());
  return () => opened.dashboard;
}
