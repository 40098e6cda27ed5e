// A real browser from npm alone. Where its libraries are missing an installed one takes its place.
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserServer, chromium as playwright } from "playwright-core";
import { inject } from "vitest";

/** Meant for a machine that runs one page and ends: they take a window's end for the browser's, and other sites' rules away. */
const UNWANTED = new Set(["--single-process", "--disable-web-security", "--allow-running-insecure-content"]);

/** Hears a beep every second; pages need not ask. */
const MICROPHONE = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];

/** One process for the whole test run. */
export async function startBrowser(): Promise<BrowserServer> {
  try {
    const args = [...chromium.args.filter((flag) => !UNWANTED.has(flag)), ...MICROPHONE];
    return await playwright.launchServer({ executablePath: await chromium.executablePath(), args });
  } catch {
    return playwright.launchServer({ channel: "chrome", args: MICROPHONE });
  }
}

/** The run's browser as this file's own: its windows are closed with it. */
export async function openBrowser(): Promise<Browser> {
  const answer = await fetch(`${inject("sandboxPool")}/browser`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return playwright.connect(text);
}
