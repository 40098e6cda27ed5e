import { words } from "../../words/words.ts";

export const OVERVIEW = words(
  () => import("../../words/overview.pt.ts"),
  () => import("../../words/overview.en.ts"),
);
