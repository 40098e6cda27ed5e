import { words } from "../../words/words.ts";

export const WORDS = words(
  () => import("../../words/connections.pt.ts"),
  () => import("../../words/connections.en.ts"),
);
