// The texts for one part of the dashboard, in one typed module per language. A page loads them only in the reader's language.
import { use } from "react";
import { type Language, language, setLanguage, useLanguage } from "./language.ts";

/** `T` with its string literals widened to `string`: same keys, same parameters. */
export type Texts<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...given: infer A) => string
      ? (...given: A) => string
      : Texts<T[K]>;
};

type Module<T> = Promise<{ default: T }>;

export type Catalog<T> = {
  load: (chosen?: Language) => Promise<Texts<T>>;
  loaded: (chosen: Language) => Texts<T> | null;
};

export type TextsOf<C> = C extends Catalog<infer T> ? Texts<T> : never;

const used = new Set<Catalog<unknown>>();

/** Loads all used catalogs before switching, so that no part of the page suspends. */
export async function changeLanguage(chosen: Language): Promise<void> {
  await Promise.all([...used].map((each) => each.load(chosen)));
  setLanguage(chosen);
}

export function catalog<T>(pt: () => Module<T>, en: () => Module<Texts<T>>): Catalog<T> {
  const promises = new Map<Language, Promise<Texts<T>>>();
  const values = new Map<Language, Texts<T>>();
  const made: Catalog<T> = {
    loaded: (chosen) => values.get(chosen) ?? null,
    load(chosen = language()) {
      used.add(made as Catalog<unknown>);
      const before = promises.get(chosen);
      if (before !== undefined) return before;
      const loading: Promise<Texts<T>> = (chosen === "pt" ? (pt() as Module<Texts<T>>) : en()).then((module) => {
        // React's `use` does not suspend for a promise that has these fields.
        void Object.assign(loading, { status: "fulfilled", value: module.default });
        values.set(chosen, module.default);
        return module.default;
      });
      loading.catch(() => promises.delete(chosen));
      promises.set(chosen, loading);
      return loading;
    },
  };
  return made;
}

/** Suspends until the texts are loaded. Routes load them before they render. */
export function useTexts<T>(from: Catalog<T>): Texts<T> {
  return use(from.load(useLanguage()));
}
