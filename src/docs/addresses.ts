// Addresses of the documentation's pages, for the worker and for the build.

/** The API whose page is `/docs`. */
export const FIRST = "connection";

export function hrefOf(name: string): string {
  return name === FIRST ? "/docs" : `/docs/${name}`;
}
