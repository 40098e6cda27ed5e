// The words of every part of the dashboard: a part loads its own, in one language.
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
  () => import("./pages/integrations.pt.ts"),
  () => import("./pages/integrations.en.ts"),
);
export const ACCOUNT = words(
  () => import("./pages/account.pt.ts"),
  () => import("./pages/account.en.ts"),
);
/** Of the settings page of a connection. */
export const SETTINGS = words(
  () => import("./pages/settings.pt.ts"),
  () => import("./pages/settings.en.ts"),
);
export const ADMIN = words(
  () => import("./pages/admin.pt.ts"),
  () => import("./pages/admin.en.ts"),
);
export const CHATS = words(
  () => import("./pages/chats.pt.ts"),
  () => import("./pages/chats.en.ts"),
);
export const CONNECTIONS = words(
  () => import("./pages/connections.pt.ts"),
  () => import("./pages/connections.en.ts"),
);
/** Of a number of the Cloud API. */
export const CLOUD = words(
  () => import("./pages/cloud.pt.ts"),
  () => import("./pages/cloud.en.ts"),
);
export const OVERVIEW = words(
  () => import("./pages/overview.pt.ts"),
  () => import("./pages/overview.en.ts"),
);
export const PAIR = words(
  () => import("./pages/pair.pt.ts"),
  () => import("./pages/pair.en.ts"),
);
/** Of signing in and up, and of a forgotten password. */
export const SIGN_IN = words(
  () => import("./pages/sign-in.pt.ts"),
  () => import("./pages/sign-in.en.ts"),
);
