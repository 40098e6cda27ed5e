// The words that every page needs; a page's own stand beside it.
import { words } from "./words.ts";

export const KIT = words(
  () => import("./kit.pt.ts"),
  () => import("./kit.en.ts"),
);
/** Of every `status_reason`. */
export const REASONS = words(
  () => import("./reasons.pt.ts"),
  () => import("./reasons.en.ts"),
);
/** Of what stands around every page, and of the pages before signing in. */
export const SHELL = words(
  () => import("./shell.pt.ts"),
  () => import("./shell.en.ts"),
);
/** Of keys, the webhook and the verifier. */
export const INTEGRATIONS = words(
  () => import("./integrations.pt.ts"),
  () => import("./integrations.en.ts"),
);
export const ACCOUNT = words(
  () => import("./account.pt.ts"),
  () => import("./account.en.ts"),
);
/** Of the settings page of a connection. */
export const SETTINGS = words(
  () => import("./settings.pt.ts"),
  () => import("./settings.en.ts"),
);
