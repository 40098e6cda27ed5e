// Recordings and files in transit, which the window would lose if it were closed or reloaded now.
import { queries } from "../../api/cache.ts";

const held = new Set<object>();

/** While anything is held, the browser asks before it closes the window, and a new deployment does not reload it (deployment.ts). */
export function hold(what: object): void {
  held.add(what);
  document.body.dataset["typed"] = "unsaved";
  addEventListener("beforeunload", ask);
}

export function release(what: object): void {
  held.delete(what);
  if (held.size > 0) return;
  delete document.body.dataset["typed"];
  removeEventListener("beforeunload", ask);
}

/** Does not ask a user who signs out. */
function ask(event: Event): void {
  if (queries.isMutating({ mutationKey: ["leaving"] }) === 0) event.preventDefault();
}
