import type { ReactNode } from "react";

type Named = readonly (readonly [name: string, value: ReactNode])[];

export function Facts({ facts }: { facts: Named }) {
  return (
    <dl className="grid min-w-0 grid-cols-1 gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
      {facts.map(([name, value]) => (
        <div key={name} className="grid min-w-0 items-baseline gap-x-6 sm:col-span-2 sm:grid-cols-subgrid">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function FactGrid({ facts }: { facts: Named }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-x-6 gap-y-3">
      {facts.map(([name, value]) => (
        <div key={name} className="flex min-w-0 flex-col-reverse">
          <dt className="text-sm text-soft">{name}</dt>
          <dd className="min-w-0 font-semibold break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** One entry in a list of facts that the page lays out itself. */
export function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={`min-w-0 ${wide ? "col-span-full" : ""}`}>
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="flex flex-wrap items-center gap-x-2">{children}</dd>
    </div>
  );
}
