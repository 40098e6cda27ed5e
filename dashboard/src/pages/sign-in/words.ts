import { words } from "../../words/words.ts";

/** Of signing in and up, and of a forgotten password. */
export const SIGN_IN = words(
  () => import("../../words/sign-in.pt.ts"),
  () => import("../../words/sign-in.en.ts"),
);
