// A real browser installed from npm alone. If its libraries are missing, uses an installed browser instead.
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserServer, chromium as playwright } from "playwright-core";
import { inject } from "vitest";

/** Flags for machines that load one page and exit: they end the browser with its window and disable cross-site protections. */
const UNWANTED = new Set(["--single-process", "--disable-web-security", "--allow-running-insecure-content"]);

/** Flags that draw each frame with an emulated graphics processor. Without them the browser paints in software, with less processor time. */
const EMULATED_GRAPHICS = /^--(ignore-gpu-blocklist|in-process-gpu|use-gl=|use-angle=|enable-unsafe-swiftshader)/;

/** A fake microphone that beeps every second; pages get it without a permission prompt. */
const MICROPHONE = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];

/** One browser process for the whole test run. */
export async function startBrowser(): Promise<BrowserServer> {
  try {
    const flags = chromium.args.filter((flag) => !UNWANTED.has(flag) && !EMULATED_GRAPHICS.test(flag));
    const args = [...flags, "--disable-gpu", ...MICROPHONE];
    return await playwright.launchServer({ executablePath: await chromium.executablePath(), args });
  } catch {
    return playwright.launchServer({ channel: "chrome", args: MICROPHONE });
  }
}

/** The run's browser, as this file sees it: disconnecting closes its windows. */
export async function openBrowser(): Promise<Browser> {
  const answer = await fetch(`${inject("sandboxPool")}/browser`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return playwright.connect(text);
}
