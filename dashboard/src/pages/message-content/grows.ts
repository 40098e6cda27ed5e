import { createContext } from "react";

/** Called before a message grows under the reader's finger, so that the chat does not scroll to its end. */
export const Grows = createContext<() => void>(() => undefined);
