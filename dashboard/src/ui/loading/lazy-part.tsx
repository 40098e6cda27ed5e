import { type ComponentType, use } from "react";

const AGAIN_MS = 5_000;

/** A part of a page, inside a `Suspense`, that loads once it is shown. If its file cannot load, only this part is missing. */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loading: Promise<ComponentType<P>> | undefined;
  return function Part(given: P) {
    loading ??= load().catch(() => {
      setTimeout(() => (loading = undefined), AGAIN_MS);
      return () => null;
    });
    const Loaded = use(loading);
    return <Loaded {...given} />;
  };
}
