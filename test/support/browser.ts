// A real browser from npm alone. Where its libraries are missing an installed one takes its place.
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** Meant for a machine that runs one page and ends: they take a window's end for the browser's, and other sites' rules away. */
const UNWANTED = new Set(["--single-process", "--disable-web-security", "--allow-running-insecure-content"]);

export async function openBrowser(): Promise<Browser> {
  try {
    const args = chromium.args.filter((flag) => !UNWANTED.has(flag));
    return await playwright.launch({ executablePath: await chromium.executablePath(), args });
  } catch {
    return playwright.launch({ channel: "chrome" });
  }
}
