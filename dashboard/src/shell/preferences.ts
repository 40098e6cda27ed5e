// The user's preferences in this browser: theme, blurred numbers, language, and the choice in the first steps.
import { useSyncExternalStore } from "react";
import { type Language, language } from "../texts/language.ts";
import { changeLanguage } from "../texts/catalog.ts";

export type Theme = "auto" | "light" | "dark";

const listeners = new Set<() => void>();
const root = document.documentElement;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  for (const listener of listeners) listener();
}

function theme(): Theme {
  const chosen = root.dataset["theme"];
  return chosen === "light" || chosen === "dark" ? chosen : "auto";
}

function showTheme(chosen: string | null): void {
  if (chosen === "light" || chosen === "dark") root.dataset["theme"] = chosen;
  else delete root.dataset["theme"];
  changed();
}

export function useTheme(): readonly [Theme, (chosen: Theme) => void] {
  return [useSyncExternalStore(subscribe, theme), chooseTheme];
}

function chooseTheme(chosen: Theme): void {
  if (chosen === "auto") localStorage.removeItem("theme");
  else localStorage.setItem("theme", chosen);
  showTheme(chosen);
}

function showHidden(hidden: boolean): void {
  if (hidden) root.dataset["hide"] = "yes";
  else delete root.dataset["hide"];
  changed();
}

export function useHidden(): readonly [boolean, (hidden: boolean) => void] {
  return [useSyncExternalStore(subscribe, () => root.dataset["hide"] === "yes"), chooseHidden];
}

function chooseHidden(hidden: boolean): void {
  if (hidden) localStorage.setItem("hide", "yes");
  else localStorage.removeItem("hide");
  showHidden(hidden);
}

type Steps = "chat" | "system" | "closed";

function steps(): Steps | null {
  const chosen = localStorage.getItem("steps");
  return chosen === "chat" || chosen === "system" || chosen === "closed" ? chosen : null;
}

/** The user's choice in the first steps, or null if there is none. */
export function useSteps(): readonly [Steps | null, (chosen: Steps) => void] {
  return [useSyncExternalStore(subscribe, steps), chooseSteps];
}

function chooseSteps(chosen: Steps): void {
  localStorage.setItem("steps", chosen);
  changed();
}

window.addEventListener("storage", ({ key, newValue }) => {
  if (key === "theme") showTheme(newValue);
  if (key === "hide") showHidden(newValue === "yes");
  if (key === "language" && (newValue === "pt" || newValue === "en") && newValue !== language()) void changeLanguage(newValue);
});

export const LANGUAGES: readonly { value: Language; label: string; lang: string }[] = [
  { value: "pt", label: "Português", lang: "pt-BR" },
  { value: "en", label: "English", lang: "en" },
];
