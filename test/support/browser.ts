// A real browser from npm alone. Where its libraries are missing an installed one takes its place.
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** Meant for a machine that runs one page and ends: they take a window's end for the browser's, and other sites' rules away. */
const UNWANTED = new Set(["--single-process", "--disable-web-security", "--allow-running-insecure-content"]);

/** Hears a beep every second; pages need not ask. */
const MICROPHONE = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];

export async function openBrowser({ microphone = false } = {}): Promise<Browser> {
  const more = microphone ? MICROPHONE : [];
  try {
    const args = [...chromium.args.filter((flag) => !UNWANTED.has(flag)), ...more];
    return await playwright.launch({ executablePath: await chromium.executablePath(), args });
  } catch {
    return playwright.launch({ channel: "chrome", args: more });
  }
}
