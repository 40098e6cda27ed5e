import { words } from "../../words/words.ts";

export const CHATS = words(
  () => import("../../words/chats.pt.ts"),
  () => import("../../words/chats.en.ts"),
);
