// The language, stored in the page's `lang` and in localStorage. The default is the browser's language.
import { useSyncExternalStore } from "react";

export type Language = "pt" | "en";

const listeners = new Set<() => void>();

export function language(): Language {
  return document.documentElement.lang.startsWith("pt") ? "pt" : "en";
}

export function setLanguage(chosen: Language): void {
  document.documentElement.lang = chosen === "pt" ? "pt-BR" : "en";
  localStorage.setItem("language", chosen);
  for (const listener of listeners) listener();
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, language);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function locale(chosen: Language): string {
  return chosen === "pt" ? "pt-BR" : "en";
}
