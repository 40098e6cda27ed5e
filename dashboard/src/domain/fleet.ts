import type { ResponseBody } from "../contract.ts";

export const VERSION_PATTERN = String.raw`\d{1,3}\.\d{1,6}\.\d{1,10}`;

type Bridge = Pick<ResponseBody<"GET /admin/bridges">["data"][number], "client_version" | "served_version" | "build">;

export type Announced = NonNullable<Bridge["client_version"]> & { bridges: number };

export function announcedBy(bridges: readonly Bridge[]): Announced[] {
  const counts = new Map<string, Announced>();
  for (const { client_version: announced } of bridges) {
    if (announced === null) continue;
    const name = `${announced.version} ${announced.source}`;
    counts.set(name, { ...announced, bridges: (counts.get(name)?.bridges ?? 0) + 1 });
  }
  return [...counts.values()].toSorted((a, b) => compared(b.version, a.version));
}

export function newestServed(bridges: readonly Bridge[]): string | null {
  const served = bridges.flatMap(({ served_version }) => served_version ?? []);
  return served.toSorted(compared).at(-1) ?? null;
}

export function buildsOf(bridges: readonly Bridge[]): string[] {
  return [...new Set(bridges.flatMap(({ build }) => build ?? []))].toSorted();
}

export function meaningOf(meanings: Readonly<Record<string, string>>, { kind, code }: { kind: string; code: string }): string {
  return meanings[`${kind} ${code}`] ?? meanings[kind] ?? "";
}

export function idsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((id) => id !== "");
}

function compared(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
