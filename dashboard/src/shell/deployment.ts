// After a deployment, the old page's files no longer exist, so the next navigation loads the page from the server. While the server does
// not respond, nothing is reloaded, because a reload would replace the page and its typed text with the proxy's error page.
import { isResponding } from "../api/client.ts";

const AGAIN_MS = 60_000;

/** True if the server responded when a file was missing. Undefined while no file was missing. */
let stale: Promise<boolean> | undefined;

/** Remembers when a file of this deployment no longer exists. The page stays open, so that no typed text is lost. */
export function watchDeployment(): void {
  window.addEventListener("vite:preloadError", (event) => {
    // Otherwise the router would reload the page at once.
    event.preventDefault();
    stale = isResponding();
  });
}

/** True if the page is being replaced. */
export async function reloadIfStale(href: string): Promise<boolean> {
  return (await stale) === true && reloadOnce(href);
}

/** For a page that cannot be shown. Its missing file is not requested again, so it needs a reload even if the server was down before. */
export async function reloadIfMissing(isAsked = false): Promise<void> {
  if (stale !== undefined && (await isResponding())) reloadOnce(location.href, isAsked);
}

let holdsTyped = () => false;

/** `holds` says whether a reload would drop typed text. */
export function keepTyped(holds: () => boolean): void {
  holdsTyped = holds;
}

/** Reloads at most once a minute, so that a permanently missing file shows as an error. Keeps typed text unless the user asks. */
function reloadOnce(href: string, isAsked = false): boolean {
  const last = Number(sessionStorage.getItem("reloaded") ?? 0);
  if (!isAsked && (Date.now() - last < AGAIN_MS || holdsTyped())) return false;
  sessionStorage.setItem("reloaded", String(Date.now()));
  if (href === location.href) location.reload();
  else location.assign(href);
  return true;
}
