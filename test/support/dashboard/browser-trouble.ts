// Browser problems during a test: uncaught errors, console errors (including policy violations), and requests to any other host.
import type { Page } from "playwright-core";

export class Trouble {
  readonly #seen: string[] = [];
  readonly #expected: RegExp[] = [];

  /** `origin`: the gateway's origin. */
  watch(page: Page, origin: string): void {
    page.on("request", (request) => {
      const asked = new URL(request.url());
      if (asked.origin !== origin && asked.protocol !== "data:" && asked.protocol !== "blob:") this.#seen.push(`asked for ${asked.href}`);
    });
    page.on("pageerror", (error) => this.#seen.push(`uncaught: ${error.message}`));
    page.on("console", (line) => {
      if (line.type() === "error") this.#seen.push(`console: ${line.text()} ${line.location().url}`);
    });
    page.on("crash", () => this.#seen.push("the page crashed"));
  }

  /** The browser logs an error for each response of 400 or above. Pass the expected ones, as in `/402/`. */
  expect(...expected: RegExp[]): void {
    this.#expected.push(...expected);
  }

  /** Unexpected problems. */
  get found(): string[] {
    return this.#seen.filter((line) => !this.#expected.some((pattern) => pattern.test(line)));
  }
}
