// What a browser complains about while a test runs: uncaught errors, console errors (violations of the page's policy are among them), and
// requests to anybody but the gateway.
import type { Page } from "playwright-core";

export class Trouble {
  readonly #seen: string[] = [];
  readonly #expected: RegExp[] = [];

  /** `origin`: of the gateway. */
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

  /** The browser itself writes an error for each answer of 400 and more: those that the test provokes, `/402/`. */
  expect(...expected: RegExp[]): void {
    this.#expected.push(...expected);
  }

  /** What was not expected. */
  get found(): string[] {
    return this.#seen.filter((line) => !this.#expected.some((pattern) => pattern.test(line)));
  }
}
