// A newer deployment has other files: what an old page still asks for is gone. The next click then loads the new page whole.

const AGAIN_MS = 60_000;

let stale = false;

/** A file of this page's deployment is gone. What is on the page stays: nothing typed is lost to it. */
export function watchDeployment(): void {
  window.addEventListener("vite:preloadError", () => {
    stale = true;
  });
}

export function isStale(): boolean {
  return stale;
}

/** Whether it failed because a file was gone. */
export function isOfOldDeployment(error: unknown): boolean {
  return (
    error instanceof Error && /dynamically imported module|importing a module script|preload CSS|module script failed/i.test(error.message)
  );
}

/** Loads the address whole; not twice within a minute, so that a file that is missing for good shows as an error. */
export function reloadOnce(href: string): boolean {
  const last = Number(sessionStorage.getItem("reloaded") ?? 0);
  if (Date.now() - last < AGAIN_MS) return false;
  sessionStorage.setItem("reloaded", String(Date.now()));
  if (href === location.href) location.reload();
  else location.assign(href);
  return true;
}
