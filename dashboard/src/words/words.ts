// Words are typed modules, Portuguese first: a missing English word does not build. A page's words come with the page, one language at a time.
import { use } from "react";
import { type Language, language, setLanguage, useLanguage } from "./language.ts";

/** The same keys, the same parameters, other texts. */
export type Words<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...given: infer A) => string
      ? (...given: A) => string
      : Words<T[K]>;
};

type Module<T> = Promise<{ default: T }>;

export type Area<T> = {
  load: (chosen?: Language) => Promise<Words<T>>;
  /** Null until they are loaded. */
  loaded: (chosen: Language) => Words<T> | null;
};

/** Areas that are on a page, or were: a change of language loads these first, so that nothing of the page goes away. */
const used = new Set<Area<unknown>>();

export async function changeLanguage(chosen: Language): Promise<void> {
  await Promise.all([...used].map((area) => area.load(chosen)));
  setLanguage(chosen);
}

/** `words(() => import("./keys.pt.ts"), () => import("./keys.en.ts"))` */
export function words<T>(pt: () => Module<T>, en: () => Module<Words<T>>): Area<T> {
  const loaded = new Map<Language, Promise<Words<T>>>();
  const values = new Map<Language, Words<T>>();
  const area: Area<T> = {
    loaded: (chosen) => values.get(chosen) ?? null,
    load(chosen = language()) {
      used.add(area as Area<unknown>);
      const before = loaded.get(chosen);
      if (before !== undefined) return before;
      const loading: Promise<Words<T>> = (chosen === "pt" ? (pt() as Module<Words<T>>) : en()).then((module) => {
        // What `use` looks for: from now on it gets the value at once.
        void Object.assign(loading, { status: "fulfilled", value: module.default });
        values.set(chosen, module.default);
        return module.default;
      });
      loading.catch(() => loaded.delete(chosen));
      loaded.set(chosen, loading);
      return loading;
    },
  };
  return area;
}

/** The area's words in the reader's language; suspends until they are there. Routes load them before the page is shown. */
export function useWords<T>(area: Area<T>): Words<T> {
  return use(area.load(useLanguage()));
}
