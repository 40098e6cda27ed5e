import { words } from "../../words/words.ts";

export const ADMIN = words(
  () => import("../../words/admin.pt.ts"),
  () => import("../../words/admin.en.ts"),
);
