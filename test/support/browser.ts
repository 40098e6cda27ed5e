// A real browser from npm alone. Where its libraries are missing an installed one takes its place.
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

export async function openBrowser(): Promise<Browser> {
  try {
    return await playwright.launch({ executablePath: await chromium.executablePath(), args: chromium.args });
  } catch {
    return playwright.launch({ channel: "chrome" });
  }
}
