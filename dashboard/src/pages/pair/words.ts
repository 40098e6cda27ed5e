import { words } from "../../words/words.ts";

export const PAIR = words(
  () => import("../../words/pair.pt.ts"),
  () => import("../../words/pair.en.ts"),
);
