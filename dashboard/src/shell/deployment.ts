// After a deployment, the old page's files no longer exist, so the next navigation loads the page from the server.

const AGAIN_MS = 60_000;

let stale = false;

/** Remembers when a file of this deployment no longer exists. The page stays open, so that no typed text is lost. */
export function watchDeployment(): void {
  window.addEventListener("vite:preloadError", () => {
    stale = true;
  });
}

export function isStale(): boolean {
  return stale;
}

export function isOfOldDeployment(error: unknown): boolean {
  return (
    error instanceof Error && /dynamically imported module|importing a module script|preload CSS|module script failed/i.test(error.message)
  );
}

/** Reloads at most once a minute, so that a permanently missing file shows as an error. */
export function reloadOnce(href: string): boolean {
  const last = Number(sessionStorage.getItem("reloaded") ?? 0);
  if (Date.now() - last < AGAIN_MS) return false;
  sessionStorage.setItem("reloaded", String(Date.now()));
  if (href === location.href) location.reload();
  else location.assign(href);
  return true;
}
