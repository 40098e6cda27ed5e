// After a deployment, the old page's files no longer exist, so the next navigation loads the page from the server. While the server does
// not respond, nothing is reloaded, because a reload would replace the page and its typed text with the proxy's error page.
import { isResponding } from "../api/client.ts";

const AGAIN_MS = 60_000;

/** Resolves to true if a file was missing although the server responded, which means that a newer build was deployed. */
let stale: Promise<boolean> | undefined;

/** Remembers that a file of this deployment no longer exists. Does not reload the page at once, so that no typed text is lost. */
export function watchDeployment(): void {
  window.addEventListener("vite:preloadError", (event) => {
    // Otherwise, the router would reload the page immediately.
    event.preventDefault();
    stale = isResponding();
  });
}

/** Returns true if the page is now being reloaded. */
export async function reloadIfStale(href: string): Promise<boolean> {
  return (await stale) === true && reloadOnce(href);
}

/** For a page whose file is missing. The browser does not request the file again, so the page has to reload once the server responds. */
export async function reloadIfMissing(isAsked = false): Promise<void> {
  if (stale !== undefined && (await isResponding())) reloadOnce(location.href, isAsked);
}

/** Forms, unsent texts, recordings and files that are being sent mark what a reload would discard. */
const holdsTyped = () => document.querySelector("[data-typed=unsaved]") !== null;

/** Reloads at most once a minute, so that a permanently missing file causes an error. Typed text is lost only if the user asks for it. */
function reloadOnce(href: string, isAsked = false): boolean {
  const last = Number(sessionStorage.getItem("reloaded") ?? 0);
  if (!isAsked && (Date.now() - last < AGAIN_MS || holdsTyped())) return false;
  sessionStorage.setItem("reloaded", String(Date.now()));
  if (href === location.href) location.reload();
  else location.assign(href);
  return true;
}
