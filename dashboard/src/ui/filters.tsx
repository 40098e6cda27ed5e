// Filters that live in the address: a filtered view can be shared, reloaded and gone back to.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { KIT } from "../words/areas.ts";
import { useWords } from "../words/words.ts";

/** One parameter of the address; "" is none. */
export function useFilter(name: string): readonly [string, (value: string) => void] {
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const value = search[name];
  const choose = (chosen: string) => {
    void navigate({
      to: ".",
      // What is left of a list begins at its first page.
      search: (before: Record<string, unknown>) => ({ ...before, after: undefined, [name]: chosen === "" ? undefined : chosen }),
      replace: true,
      resetScroll: false,
    });
  };
  return [typeof value === "string" || typeof value === "number" ? String(value) : "", choose];
}

type ChipsProps = {
  /** Of the parameter in the address. */
  name: string;
  label: string;
  options: readonly { value: string; label: ReactNode; count?: number }[];
};

/** One of several, or all of them. */
export function FilterChips({ name, label, options }: ChipsProps) {
  const words = useWords(KIT);
  const group = useId();
  const [chosen, choose] = useFilter(name);
  return (
    <fieldset className="flex min-w-0 flex-wrap items-center gap-1.5">
      <legend className="sr-only">{label}</legend>
      {[{ value: "", label: words.all, count: undefined }, ...options].map(({ value, label: text, count }) => (
        <label
          key={value}
          className="inline-flex min-h-11 cursor-pointer items-center gap-1.5 rounded-full border border-line bg-surface px-3 has-checked:border-ink has-checked:bg-tint has-checked:font-semibold has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent hover:bg-tint pointer-fine:min-h-8"
        >
          <input type="radio" name={group} value={value} checked={chosen === value} onChange={() => choose(value)} className="sr-only" />
          {text}
          {count !== undefined && <span className="text-sm text-soft">{count}</span>}
        </label>
      ))}
    </fieldset>
  );
}

/** A text to search for; goes to the address while it is typed. */
export function FilterSearch({ name, label }: { name: string; label: string }) {
  const id = useId();
  const [chosen, choose] = useFilter(name);
  const [typed, setTyped] = useState(chosen);
  return (
    <div className="relative min-w-0 grow basis-56 sm:max-w-80">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Search size={16} aria-hidden className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-soft" />
      <input
        id={id}
        type="search"
        value={typed}
        placeholder={label}
        autoComplete="off"
        onChange={({ target }) => {
          setTyped(target.value);
          choose(target.value.trim());
        }}
        className="min-h-11 w-full rounded-md border border-edge bg-surface pr-3 pl-9 placeholder:text-soft pointer-fine:min-h-9"
      />
    </div>
  );
}
